import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { managedClusters } from '@flotilla/api-types';
import { realClock } from '@flotilla/kube';
import { afterEach, describe, expect, it } from 'vitest';
import { networkConnector } from '../connect.ts';
import { startFleet } from './fleet.ts';

const directories: string[] = [];
const newDirectory = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-spec-'));
  directories.push(directory);
  return directory;
};
afterEach(async () => {
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true });
});

const context = { clock: realClock, connector: networkConnector({ env: {}, clock: realClock }) };
const common = { keep: false, real: false, autoAccept: false, context } as const;
const soon = () => AbortSignal.timeout(25_000);

const example = [
  'cluster1 is given work hello: ConfigMap, Deployment',
  'cluster1 has applied work hello',
  'cluster1 reports of work hello: ReadyReplicas=2 Replicas=2 AvailableReplicas=2',
];

describe('a fleet in one process', () => {
  it('lets two clusters in by double opt-in, and keeps a third waiting', async () => {
    const lines: string[] = [];
    const directory = await newDirectory();
    await using fleet = await startFleet({ ...common, directory, clusters: 2, tell: (line) => lines.push(line) });
    await fleet.ready(soon());

    for (const name of ['cluster1', 'cluster2']) {
      const story = lines.filter((line) => line.startsWith(`${name} `));
      expect(story).toEqual([
        `${name} asks to join: registered itself and sent a certificate request`,
        `${name} is accepted on the hub`,
        `${name} gets its certificate`,
        `${name} has joined`,
        `${name} is Available`,
        ...(name === 'cluster1' ? example : []),
      ]);
    }
    const waiting = await fleet.hub.client.resource(managedClusters).get('cluster3');
    expect(waiting.spec?.hubAcceptsClient ?? false).toBe(false);
    expect((await stat(join(directory, 'kubeconfigs', 'cluster1.yaml'))).mode & 0o777).toBe(0o600);
  });
});
