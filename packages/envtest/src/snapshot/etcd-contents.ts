import { Agent } from 'node:http';
import { callEtcd } from '../processes/etcd-api.ts';
import { type Entry, isKept } from './entries.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** What of a cluster's etcd belongs into a snapshot, at one revision. */
export async function readEntries(directory: string): Promise<Entry[]> {
  const everything = { key: base64('/registry/'), range_end: base64('/registry0') };
  const { kvs = [] } = await callEtcd(directory, '/v3/kv/range', everything);
  return kvs
    .map(({ key, value }): Entry => [Buffer.from(key, 'base64').toString(), value])
    .filter(([key]) => isKept(key));
}

/** Puts entries into an empty etcd, one by one: those of one transaction would all have the same resource version. */
export async function writeEntries(directory: string, entries: readonly Entry[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const put = ([key, value]: Entry) => callEtcd(directory, '/v3/kv/put', { key: base64(key), value }, agent);
  try {
    await Promise.all(entries.map(put));
  } finally {
    agent.destroy();
  }
}
