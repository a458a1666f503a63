import { join } from 'node:path';
import { etcdSocket } from '../cluster/component-flags.ts';
import { probeSocket } from '../cluster/probe.ts';
import { EnvtestError } from '../errors.ts';
import type { Component } from '../processes/component.ts';

/** Calls etcd's JSON gateway. */
async function callEtcd(directory: string, path: string, body: object): Promise<{ header: { revision: string } }> {
  const answer = await probeSocket(join(directory, etcdSocket), path, { body });
  if (answer.status !== 200) {
    throw new EnvtestError('CommandFailed', `etcd answered ${path} with ${answer.status}: ${answer.body.trim()}`);
  }
  return JSON.parse(answer.body);
}

/** Drops all history of etcd up to now and answers the revision that is left. */
export async function compactEtcd(directory: string): Promise<number> {
  // Reading any key, here one that does not exist, tells the current revision.
  const { header } = await callEtcd(directory, '/v3/kv/range', { key: Buffer.from('\0').toString('base64') });
  await callEtcd(directory, '/v3/kv/compaction', { revision: header.revision, physical: true });
  return Number(header.revision);
}

/**
 * Makes the server answer 410 to every resource version handed out so far: compacts etcd, and restarts the API server,
 * whose watch cache would otherwise still know the past.
 */
export async function expireResourceVersions(cluster: { directory: string; apiServer: Component }): Promise<number> {
  // The restarted server's cache starts at the revision of its first list, so that must be later than what anybody holds.
  await callEtcd(cluster.directory, '/v3/kv/put', {
    key: Buffer.from('/flotilla-envtest/expired').toString('base64'),
    value: '',
  });
  const revision = await compactEtcd(cluster.directory);
  await cluster.apiServer.restart({ kill: true });
  return revision;
}
