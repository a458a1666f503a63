import type { X509Certificate } from 'node:crypto';
import type { Caller } from '../caller.ts';

/** The user and groups of a client certificate: its common name and its organizations. Undefined if it names no user. */
export function certificateCaller(certificate: X509Certificate): Caller | undefined {
  const { CN: user, O: groups = [] } = certificate.toLegacyObject().subject as { CN?: Entry; O?: Entry };
  const [name, ...others] = listOf(user);
  if (!name || others.length > 0) return undefined;
  return { user: name, groups: listOf(groups), by: { certificateUntil: Date.parse(certificate.validTo) } };
}

type Entry = string | string[];
const listOf = (entry: Entry | undefined): string[] => (entry === undefined ? [] : [entry].flat());
