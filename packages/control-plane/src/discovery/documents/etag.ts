import { createHash } from 'node:crypto';

/** A document that clients may keep: its text and the hash that names exactly this text. */
export interface HashedDocument {
  readonly text: string;
  readonly hash: string;
}

/** As the real server: SHA-512 in capital hexadecimal digits. */
export const hashOf = (content: string | Buffer): string =>
  createHash('sha512').update(content).digest('hex').toUpperCase();

export const hashed = (text: string): HashedDocument => ({ text, hash: hashOf(text) });

export const etagOf = ({ hash }: Pick<HashedDocument, 'hash'>): string => `"${hash}"`;

/** Whether an If-None-Match header names the document the server would send. */
export const isUnchanged = (ifNoneMatch: string | undefined, document: Pick<HashedDocument, 'hash'>): boolean =>
  (ifNoneMatch ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etagOf(document));
