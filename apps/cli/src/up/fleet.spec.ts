import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { klusterlets, managedClusters } from '@flotilla/api-types';
import { realClock } from '@flotilla/kube';
import { secrets } from '@flotilla/kube/kinds';
import { afterEach, describe, expect, it } from 'vitest';
import { networkConnector } from '../cluster/connect.ts';
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
const common = { keep: false, real: false, autoAccept: false, auth: 'csr', context } as const;
const soon = () => AbortSignal.timeout(25_000);

const example = [
  'cluster1 is given work hello: ConfigMap, Deployment',
  'cluster1 has applied work hello',
  'cluster1 reports feedback of work hello: ReadyReplicas=2 Replicas=2 AvailableReplicas=2',
];

const addOn = ['cluster1 is given add-on helloworld', 'cluster1 reports that add-on helloworld is Available'];

describe('a fleet in one process', () => {
  it('is a hub alone with no clusters, for those that the user joins', { timeout: 60_000 }, async () => {
    const lines: string[] = [];
    const report = (line: string) => lines.push(line);
    await using fleet = await startFleet({ ...common, directory: await newDirectory(), clusters: 0, report });
    await fleet.ready(soon());
    expect(lines).toEqual([expect.stringMatching(/^hub is up at /)]);
    expect([fleet.managed, fleet.waiting]).toEqual([[], undefined]);
  });

  it('joins two clusters by double opt-in, and keeps a third waiting', { timeout: 60_000 }, async () => {
    const lines: string[] = [];
    const directory = await newDirectory();
    await using fleet = await startFleet({ ...common, directory, clusters: 2, report: (line) => lines.push(line) });
    await fleet.ready(soon());

    for (const name of ['cluster1', 'cluster2']) {
      const progress = lines.filter((line) => line.startsWith(`${name} `));
      expect(progress).toEqual([
        `${name} asks to join: registered itself and sent a certificate request`,
        `${name} is accepted on the hub`,
        `${name} gets its certificate`,
        `${name} has joined`,
        `${name} is Available`,
        ...(name === 'cluster1' ? example : []),
        `${name} is labelled tier=web`,
        `${name} has applied the template of replica set web`,
        ...(name === 'cluster1' ? addOn : []),
      ]);
    }
    expect(lines.filter((line) => line.startsWith('placement '))).toEqual([
      'placement web selects cluster1',
      'placement web selects cluster1, cluster2',
    ]);
    const waiting = await fleet.hub.client.resource(managedClusters).get('cluster3');
    expect(waiting.spec?.hubAcceptsClient ?? false).toBe(false);
    expect((await stat(join(directory, 'kubeconfigs', 'cluster1.yaml'))).mode & 0o777).toBe(0o600);
  });

  it('joins a cluster that knows the gRPC server of the hub only, and gives it a work', {
    timeout: 60_000,
  }, async () => {
    const lines: string[] = [];
    const directory = await newDirectory();
    const options = {
      ...common,
      auth: 'grpc',
      directory,
      clusters: 1,
      report: (line: string) => lines.push(line),
    } as const;
    await using fleet = await startFleet(options);
    await fleet.ready(AbortSignal.timeout(50_000));
    expect(lines).toEqual(expect.arrayContaining(['cluster1 is Available', ...example, ...addOn]));
    const [cluster1] = fleet.managed;
    const stored = await cluster1?.client
      .resource(secrets)
      .get('open-cluster-management-agent/bootstrap-hub-kubeconfig');
    expect(Object.keys(stored?.data ?? {})).not.toContain('kubeconfig');
  });

  it('continues after a restart without undoing what the user did, and without old progress', {
    timeout: 60_000,
  }, async () => {
    const directory = await newDirectory();
    const start = async (lines: string[]) => {
      const fleet = await startFleet({
        ...common,
        keep: true,
        directory,
        clusters: 3,
        report: (line) => lines.push(line),
      });
      await fleet.ready(soon());
      return fleet;
    };
    {
      await using fleet = await start([]);
      const clusters = fleet.hub.client.resource(managedClusters);
      const [, second] = fleet.managed;
      await clusters.delete('cluster2');
      await expect.poll(() => clusters.find('cluster2')).toBeUndefined();
      await second?.client.resource(klusterlets).delete('klusterlet');
      const accepts = (hubAcceptsClient: boolean) => ({ type: 'merge', body: { spec: { hubAcceptsClient } } }) as const;
      await clusters.patch('cluster3', accepts(false));
      await clusters.patch('cluster4', accepts(true));
      const accepted = async (name: string) =>
        (await clusters.get(name)).status?.conditions?.find(({ type }) => type === 'HubAcceptedManagedCluster')?.status;
      await expect.poll(() => Promise.all(['cluster3', 'cluster4'].map(accepted))).toEqual(['False', 'True']);
    }
    const lines: string[] = [];
    await using fleet = await start(lines);
    expect(lines.slice(1).sort()).toEqual([
      'cluster1 is back: its agent reports',
      'cluster2 was unjoined in an earlier run, and stays so',
    ]);
    const { items } = await fleet.hub.client.resource(managedClusters).list();
    expect(items.map(({ metadata, spec }) => [metadata?.name, spec?.hubAcceptsClient ?? false])).toEqual([
      ['cluster1', true],
      ['cluster3', false],
      ['cluster4', true],
    ]);
  });
});
