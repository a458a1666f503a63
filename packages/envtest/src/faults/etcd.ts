import type { Component } from '../processes/component.ts';
import { callEtcd } from '../processes/etcd-api.ts';

/** Drops all history of etcd up to now and answers the revision that is left. */
export async function compactEtcd(directory: string): Promise<number> {
  // The revision of a compaction is itself kept. With one more write, not even the last change before is.
  const key = Buffer.from('/flotilla-envtest/compacted').toString('base64');
  const { header } = await callEtcd(directory, '/v3/kv/put', { key, value: '' });
  await callEtcd(directory, '/v3/kv/compaction', { revision: header.revision, physical: true });
  return Number(header.revision);
}

/**
 * Makes the server answer 410 to every resource version handed out so far: compacts etcd, and restarts the API server,
 * whose watch cache would otherwise still know the past.
 */
export async function expireResourceVersions(cluster: { directory: string; apiServer: Component }): Promise<number> {
  const revision = await compactEtcd(cluster.directory);
  await cluster.apiServer.restart({ kill: true });
  return revision;
}
