import { callEtcd } from '../processes/etcd-api.ts';
import { type Entry, isKept } from './entries.ts';

/** Limits of one transaction: etcd takes 128 operations and 1.5 MiB. */
const maxOperations = 100;
const maxLength = 1024 * 1024;

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** What of a cluster's etcd belongs into a snapshot, at one revision. */
export async function readEntries(directory: string): Promise<Entry[]> {
  const everything = { key: base64('/registry/'), range_end: base64('/registry0') };
  const { kvs = [] } = await callEtcd(directory, '/v3/kv/range', everything);
  return kvs
    .map(({ key, value }): Entry => [Buffer.from(key, 'base64').toString(), value])
    .filter(([key]) => isKept(key));
}

/** Puts entries into an empty etcd. */
export async function writeEntries(directory: string, entries: readonly Entry[]): Promise<void> {
  for (const some of inTransactions(entries)) {
    const success = some.map(([key, value]) => ({ request_put: { key: base64(key), value } }));
    await callEtcd(directory, '/v3/kv/txn', { success });
  }
}

/** Parts that etcd takes at once. */
export function inTransactions(entries: readonly Entry[]): Entry[][] {
  const parts: Entry[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    const size = entry[0].length + entry[1].length;
    const part = parts.at(-1);
    if (part && part.length < maxOperations && length + size <= maxLength) {
      part.push(entry);
      length += size;
    } else {
      parts.push([entry]);
      length = size;
    }
  }
  return parts;
}
