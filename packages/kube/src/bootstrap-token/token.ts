import { randomInt } from 'node:crypto';

/** A bootstrap token of Kubernetes: the id is public, the secret is not. */
export interface BootstrapToken {
  readonly id: string;
  readonly secret: string;
}

const form = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const idForm = /^[a-z0-9]{6}$/;
const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

const randomText = (length: number): string =>
  Array.from({ length }, () => letters[randomInt(letters.length)]).join('');

/** A new token; 16 characters of 36 cannot be guessed. */
export const newBootstrapToken = (): BootstrapToken => ({ id: randomText(6), secret: randomText(16) });

/** `id.secret`, or undefined if a text is not a bootstrap token. */
export function parseBootstrapToken(text: string): BootstrapToken | undefined {
  const [, id, secret] = form.exec(text) ?? [];
  return id !== undefined && secret !== undefined ? { id, secret } : undefined;
}

/** The id of a token, from the id alone or from the whole token; undefined if a text is neither. */
export const bootstrapTokenIdOf = (text: string): string | undefined =>
  idForm.test(text) ? text : parseBootstrapToken(text)?.id;

/** As users pass it on. */
export const formatBootstrapToken = ({ id, secret }: BootstrapToken): string => `${id}.${secret}`;
