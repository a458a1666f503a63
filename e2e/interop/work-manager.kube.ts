import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Label,
  type ManifestWorkReplicaSetSpec,
  managedClusterSetBindings,
  managedClusterSets,
  managedClusters,
  manifestWorkReplicaSets,
  manifestWorks,
  placements,
} from '@flotilla/api-types';
import { findFreePort } from '@flotilla/envtest';
import { namespaces } from '@flotilla/kube/kinds';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { formatTime } from '@flotilla/kube/meta';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ocmPrograms } from '../ocm/programs.ts';
import { type Program, startExecutable, startProgram } from '../registration/program.ts';
import { type Server, startServer } from '../registration/servers.ts';
import { configMap } from '../work/manifests.ts';

const namespace = 'team';
const clusters = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'];
const poll = { timeout: 60_000, interval: 200 };
const flags = ['--feature-gates=ManifestWorkReplicaSet=true', '--disable-leader-election'];

/** A template with rules, by which both know how far a cluster is. */
const template = (name: string, version: string) => ({
  workload: { manifests: [configMap(name, { version })] },
  manifestConfigs: [
    {
      resourceIdentifier: { resource: 'configmaps', namespace: 'default', name },
      feedbackRules: [{ type: 'JSONPaths' as const, jsonPaths: [{ name: 'version', path: '.data.version' }] }],
      conditionRules: [
        { condition: 'Progressing', type: 'CEL' as const, celExpressions: ['object.data.version == ""'] },
        { condition: 'Degraded', type: 'CEL' as const, celExpressions: ['object.data.version == "bad"'] },
      ],
      updateStrategy: { type: 'ServerSideApply' as const },
    },
  ],
  executor: {
    subject: { type: 'ServiceAccount' as const, serviceAccount: { namespace: 'default', name: 'deployer' } },
  },
});

const specs: Readonly<Record<string, Partial<ManifestWorkReplicaSetSpec>>> = {
  everywhere: { placementRefs: [{ name: 'all' }] },
  stepwise: {
    placementRefs: [
      { name: 'all', rolloutStrategy: { type: 'Progressive', progressive: { maxConcurrency: 2, maxFailures: 1 } } },
    ],
  },
  grouped: {
    placementRefs: [
      {
        name: 'grouped',
        rolloutStrategy: { type: 'ProgressivePerGroup', progressivePerGroup: { maxFailures: '50%' } },
      },
      { name: 'none' },
    ],
  },
};

describe("our work manager and OCM's", () => {
  const cleanup = new AsyncDisposableStack();
  let server: Server;
  let kubeconfig: string;
  let ocm: string;

  beforeAll(async () => {
    ocm = (await ocmPrograms()).work;
    server = cleanup.use(await startServer('kube-apiserver'));
    const directory = await mkdtemp(join(tmpdir(), 'flotilla-work-manager-'));
    cleanup.defer(() => rm(directory, { recursive: true, force: true }));
    kubeconfig = join(directory, 'kubeconfig');
    await writeKubeconfig(kubeconfig, kubeconfigFor(server.access));
    await createFleet();
    // Our placement decides for both.
    cleanup.use(startProgram('hub', ['placement', `--kubeconfig=${kubeconfig}`, '--disable-leader-election']));
  }, 120_000);
  afterAll(() => cleanup.disposeAsync());

  const startOurs = async (): Promise<Program> =>
    startProgram('hub', ['work-manager', `--kubeconfig=${kubeconfig}`, ...flags]);
  const startTheirs = async (): Promise<Program> =>
    startExecutable(ocm, [
      'manager',
      `--kubeconfig=${kubeconfig}`,
      '--namespace=open-cluster-management-hub',
      `--listen=127.0.0.1:${await findFreePort()}`,
      ...flags,
    ]);
  const works = () => server.client.resource(manifestWorks);
  const sets = () => server.client.resource(manifestWorkReplicaSets);

  async function createFleet(): Promise<void> {
    const { client } = server;
    for (const name of [namespace, ...clusters]) await client.resource(namespaces).create({ metadata: { name } });
    for (const [index, name] of clusters.entries()) {
      const labels = { half: index < 3 ? 'first' : 'second' };
      await client.resource(managedClusters).create({ metadata: { name, labels } });
    }
    const clusterSelector = { selectorType: 'LabelSelector' as const, labelSelector: {} };
    await client.resource(managedClusterSets).create({ metadata: { name: 'global' }, spec: { clusterSelector } });
    const metadata = { namespace, name: 'global' };
    await client.resource(managedClusterSetBindings).create({ metadata, spec: { clusterSet: 'global' } });
    const group = (half: string) => ({
      groupName: half,
      groupClusterSelector: { labelSelector: { matchLabels: { half } } },
    });
    const decisionGroups = [group('first'), group('second')];
    const place = (name: string, spec: object) =>
      client.resource(placements).create({ metadata: { namespace, name }, spec });
    await place('all', {});
    await place('grouped', { decisionStrategy: { groupStrategy: { decisionGroups } } });
    await place('none', {
      predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { half: 'no' } } } }],
    });
  }

  /** Reports as an agent does, of all works of a replica set that have none for their generation. */
  const report = async (owner: string, outcome: 'succeeded' | 'failed', only = clusters): Promise<void> => {
    const { items } = await works().list({ labelSelector: `${Label.ManifestWorkReplicaSet}=${namespace}.${owner}` });
    for (const { metadata, status } of items) {
      const isNew = status?.conditions?.[0]?.observedGeneration !== metadata?.generation;
      if (!isNew || !only.includes(metadata?.namespace ?? '')) continue;
      const condition = (type: string, state: string) => ({
        type,
        status: state,
        reason: 'Test',
        message: '',
        lastTransitionTime: formatTime(Date.now()),
        observedGeneration: metadata?.generation,
      });
      const hasFailed = outcome === 'failed';
      const conditions = [
        condition('Applied', 'True'),
        condition('Available', 'True'),
        condition('Progressing', hasFailed ? 'True' : 'False'),
        condition('Degraded', hasFailed ? 'True' : 'False'),
      ];
      const body = { status: { conditions } };
      await works().status.patch(`${metadata?.namespace}/${metadata?.name}`, { type: 'merge', body });
    }
  };

  /** A cluster set of its own behind which nothing waits any more: its works come last. */
  const settled = async (round: string): Promise<void> => {
    const name = `sentinel-${round}`;
    await sets().create({
      metadata: { namespace, name },
      spec: {
        manifestWorkTemplate: template(name, 'v1'),
        placementRefs: [{ name: 'all' }],
        cascadeDeletionPolicy: 'Foreground',
      },
    });
    const key = `${namespace}/${name}`;
    await expect.poll(async () => (await sets().find(key))?.status?.summary?.total, poll).toBe(clusters.length);
    await sets().delete(key);
    await expect.poll(() => sets().find(key), poll).toBeUndefined();
  };

  /** What both write, and the identity of each work. */
  const outcome = async () => {
    const sorted = (await works().list()).items.map(({ metadata }) => {
      const { uid, namespace: cluster, name, generation, labels } = metadata ?? {};
      return JSON.stringify({ uid, cluster, name, generation, labels });
    });
    const statuses = (await sets().list({ namespace })).items.map(({ metadata, status }) => {
      const { desiredTotal: _, updated: __, ...summary } = status?.summary ?? {};
      const conditions = status?.conditions?.filter(({ type }) => type !== 'ClustersFailed');
      const counts = Object.fromEntries(Object.entries(summary).filter(([, count]) => count !== 0));
      return [metadata?.name, { conditions, counts, placementSummary: status?.placementSummary }];
    });
    return { works: sorted.sort(), statuses: Object.fromEntries(statuses) };
  };
  const totals = async () =>
    Object.fromEntries(
      (await sets().list({ namespace })).items.map(({ metadata, status }) => [metadata?.name, status?.summary?.total]),
    );

  it.each<[string, () => Promise<Program>, () => Promise<Program>]>([
    ['OCM begins and ours takes over', startTheirs, startOurs],
    ['ours begins and OCM takes over', startOurs, startTheirs],
  ])(
    '%s, at each step of rollouts: no work is made again, no status changes',
    { timeout: 300_000 },
    async (title, startFirst, startSecond) => {
      const round = title.startsWith('OCM') ? 'a' : 'b';
      /** The step is done by the first, and nothing is left to do for the second, and again for the first. */
      const handOver = async (step: string): Promise<void> => {
        await settled(`${round}-${step}`);
        const before = await outcome();
        await program.end();
        const second = await startSecond();
        await settled(`${round}-${step}-second`);
        expect(await outcome(), `after the take-over at ${step}`).toEqual(before);
        await second.end();
        program = await startFirst();
        await settled(`${round}-${step}-back`);
        expect(await outcome(), `after the way back at ${step}`).toEqual(before);
      };

      let program = await startFirst();
      for (const [name, spec] of Object.entries(specs)) {
        await sets().create({
          metadata: { namespace, name, labels: { app: name } },
          spec: {
            manifestWorkTemplate: template(name, 'v1'),
            placementRefs: [],
            cascadeDeletionPolicy: 'Background',
            ...spec,
          },
        });
      }
      await expect.poll(totals, poll).toEqual({ everywhere: 6, stepwise: 2, grouped: 3 });
      await handOver('begin');
      for (const name of Object.keys(specs)) await report(name, 'succeeded');
      await expect.poll(totals, poll).toEqual({ everywhere: 6, stepwise: 4, grouped: 6 });
      await handOver('half');
      await report('stepwise', 'failed');
      await report('grouped', 'failed', ['c4']);
      await report('everywhere', 'succeeded');
      await handOver('failed');
      for (const name of Object.keys(specs)) await sets().delete(`${namespace}/${name}`);
      await expect.poll(async () => (await works().list()).items.length, poll).toBe(0);
      await program.end();
    },
  );
});
