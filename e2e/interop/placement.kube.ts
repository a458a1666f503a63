import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addOnPlacementScores,
  managedClusterSetBindings,
  managedClusterSets,
  managedClusters,
  type Placement,
  placementDecisions,
  placements,
} from '@flotilla/api-types';
import { findFreePort } from '@flotilla/envtest';
import type { KubeClient } from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cluster, sharedSpec } from '../../packages/placement/fixtures/changes.ts';
import { sampleSeed } from '../../tools/properties/seed.ts';
import { ocmPrograms } from '../ocm/programs.ts';
import { type Program, startExecutable, startProgram } from '../registration/program.ts';
import { type Server, startServer } from '../registration/servers.ts';

/** How many placements are generated. */
const count = 60;
const namespace = 'team';
/** A namespace, a set, a cluster and a placement that have nothing to do with the others. */
const sentinel = 'sentinel';

/** The clusters of each placement, and the identities of all objects that a scheduler writes. */
interface Outcome {
  readonly clusters: Readonly<Record<string, readonly string[]>>;
  readonly statuses: Readonly<Record<string, unknown>>;
  readonly versions: Readonly<Record<string, string>>;
}

describe("our placement and OCM's", () => {
  const cleanup = new AsyncDisposableStack();
  let server: Server;
  let kubeconfig: string;
  let ocm: string;

  beforeAll(async () => {
    ocm = (await ocmPrograms()).placement;
    server = cleanup.use(await startServer('kube-apiserver'));
    const directory = await mkdtemp(join(tmpdir(), 'flotilla-placement-'));
    cleanup.defer(() => rm(directory, { recursive: true, force: true }));
    kubeconfig = join(directory, 'kubeconfig');
    await writeKubeconfig(kubeconfig, kubeconfigFor(server.access));
    await createFleet(server);
  }, 120_000);
  afterAll(() => cleanup.disposeAsync());

  const startOurs = async (): Promise<Program> =>
    startProgram('hub', ['placement', `--kubeconfig=${kubeconfig}`, '--disable-leader-election']);
  const startTheirs = async (): Promise<Program> =>
    startExecutable(ocm, [
      'controller',
      `--kubeconfig=${kubeconfig}`,
      '--disable-leader-election',
      '--namespace=open-cluster-management-hub',
      `--listen=127.0.0.1:${await findFreePort()}`,
    ]);

  /** The outcome once every placement has one, and after a change of the fleet, behind which nothing waits any more. */
  const stable = async (): Promise<Outcome> => {
    const { client } = server;
    const poll = { timeout: 60_000, interval: 250 };
    await expect
      .poll(async () => (await client.resource(placements).list({ namespace })).items.every(isDecided), poll)
      .toBe(true);
    const decided = async () =>
      (await client.resource(placementDecisions).find(`${sentinel}/${sentinel}-decision-1`))?.status?.decisions?.length;
    const labels = { 'cluster.open-cluster-management.io/clusterset': sentinel };
    await client.resource(managedClusters).create({ metadata: { name: sentinel, labels } });
    await expect.poll(decided, poll).toBe(1);
    await client.resource(managedClusters).delete(sentinel);
    await expect.poll(decided, poll).toBe(0);
    return outcomeOf(server);
  };

  it(`select the same for ${count} generated placements, and take over from each other without a write`, {
    timeout: 400_000,
  }, async () => {
    const theirs = await startTheirs();
    const first = await stable();
    await theirs.end();
    expect(Object.values(first.clusters).some(({ length }) => length > 0)).toBe(true);

    const ours = await startOurs();
    expect(await stable(), 'after our take-over').toEqual(first);
    await ours.end();

    const back = await startTheirs();
    expect(await stable(), 'after their take-over').toEqual(first);
    await back.end();

    // From scratch, as if no scheduler had been there.
    await forgetDecisions(server);
    const again = await startOurs();
    const { clusters, statuses } = await stable();
    expect({ clusters, statuses }).toEqual({ clusters: first.clusters, statuses: first.statuses });
    await again.end();

    const last = await outcomeOf(server);
    const theirsAgain = await startTheirs();
    expect(await stable(), 'after their take-over of our decisions').toEqual(last);
    await theirsAgain.end();
  });
});

const isDecided = ({ status }: Placement): boolean => (status?.conditions ?? []).length > 0;

async function createFleet({ client }: Server): Promise<void> {
  const exclusive = { selectorType: 'ExclusiveClusterSetLabel' } as const;
  const generated = { selectorType: 'LabelSelector', labelSelector: { matchLabels: { generated: 'yes' } } } as const;
  const bind = async (name: string, to: string, clusterSelector: typeof exclusive | typeof generated) => {
    await client.resource(managedClusterSets).create({ metadata: { name }, spec: { clusterSelector } });
    const spec = { clusterSet: name };
    await client.resource(managedClusterSetBindings).create({ metadata: { namespace: to, name }, spec });
  };
  for (const name of [namespace, sentinel]) await client.resource(namespaces).create({ metadata: { name } });
  await bind('all', namespace, generated);
  await bind('s1', namespace, exclusive);
  await bind('s2', namespace, exclusive);
  await bind(sentinel, sentinel, exclusive);
  await client.resource(placements).create({ metadata: { namespace: sentinel, name: sentinel }, spec: {} });

  for (const [index, { metadata, spec, status }] of fc
    .sample(cluster, { numRuns: 40, seed: sampleSeed(14) })
    .entries()) {
    const name = `c${String(index).padStart(2, '0')}`;
    const labels = { ...metadata?.labels, generated: 'yes' };
    await client.resource(managedClusters).create({ metadata: { name, labels }, spec });
    await client.resource(managedClusters).status.patch(name, { type: 'merge', body: { status } });
    if (index % 3 > 0) await createScore(client, name, index);
  }
  for (const [index, spec] of fc.sample(sharedSpec, { numRuns: count, seed: sampleSeed(14) }).entries()) {
    await client.resource(placements).create({ metadata: { namespace, name: `p${index}` }, spec });
  }
}

/** From -100 to 100, and valid for ever. */
async function createScore(client: KubeClient, cluster: string, index: number): Promise<void> {
  await client.resource(namespaces).create({ metadata: { name: cluster } });
  const handle = client.resource(addOnPlacementScores);
  await handle.create({ metadata: { namespace: cluster, name: 'demo' } });
  const scores = [{ name: 'load', value: ((index * 37) % 201) - 100 }];
  await handle.status.patch(`${cluster}/demo`, { type: 'merge', body: { status: { scores } } });
}

async function outcomeOf({ client }: Server): Promise<Outcome> {
  const decided = (await client.resource(placementDecisions).list({ namespace })).items;
  const placed = (await client.resource(placements).list({ namespace })).items;
  const versions = [...decided, ...placed].map(({ metadata }) => [
    metadata?.name ?? '',
    `${metadata?.uid} ${metadata?.resourceVersion}`,
  ]);
  const clusters: Record<string, string[]> = {};
  for (const { metadata } of placed) clusters[metadata?.name ?? ''] = [];
  for (const { metadata, status } of decided) {
    const owner = metadata?.labels?.['cluster.open-cluster-management.io/placement'] ?? '';
    clusters[owner]?.push(...(status?.decisions ?? []).map(({ clusterName }) => clusterName));
  }
  const statuses = placed.map(({ metadata, status }) => {
    const conditions = status?.conditions?.map(({ type, status: value, reason, message }) => ({
      type,
      value,
      reason,
      message,
    }));
    return [metadata?.name ?? '', { ...status, conditions }];
  });
  return { clusters, statuses: Object.fromEntries(statuses), versions: Object.fromEntries(versions) };
}

async function forgetDecisions({ client }: Server): Promise<void> {
  await client.resource(placementDecisions).deleteCollection({ namespace });
  for (const { metadata } of (await client.resource(placements).list({ namespace })).items) {
    const body = { status: { conditions: null, decisionGroups: null, numberOfSelectedClusters: null } };
    await client.resource(placements).status.patch(`${namespace}/${metadata?.name}`, { type: 'merge', body });
  }
}
