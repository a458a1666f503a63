import { createHash } from 'node:crypto';
import { isRecord } from '@flotilla/schema';

/** Kubernetes' alphabet for names that machines make. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** Ten characters that are the same for the same template, whatever the order of its fields. */
export function templateHash(template: unknown): string {
  const digest = createHash('sha256').update(sortedJson(template)).digest();
  return Array.from(digest.subarray(0, 10), (byte) => alphabet[byte % alphabet.length]).join('');
}

const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_key, field) =>
    isRecord(field)
      ? Object.fromEntries(Object.entries(field).sort(([left], [right]) => (left < right ? -1 : 1)))
      : field,
  ) ?? '';
