import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addOnPlacementScores,
  managedClusterSetBindings,
  managedClusterSets,
  managedClusters,
  placementDecisions,
  placements,
} from '@flotilla/api-types';
import { namespaces } from '@flotilla/kube/kinds';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Change, change, cluster, sharedSpec } from '../../packages/placement/fixtures/changes.ts';
import { referenceSchedule } from '../../packages/placement/fixtures/reference.ts';
import { emptyWorld, type World } from '../../packages/placement/fixtures/world.ts';
import { sampleSeed } from '../../tools/properties/seed.ts';
import { type Program, startProgram } from '../registration/program.ts';
import { deploy, kubeconfigOf, type Server, serverKinds, startServer } from '../registration/servers.ts';

const rounds = 6;
const changesInARound = 12;
/** Clusters that join and leave while the others change. */
const crowd = 50;
const election = [
  '--namespace=open-cluster-management-hub',
  '--leader-election-lease-duration=8s',
  '--leader-election-renew-deadline=6s',
  '--leader-election-retry-period=500ms',
];

describe.each(serverKinds)('placement as two processes, on %s', (kind) => {
  it('decides what the rules say while clusters join, change and leave, whichever replica is killed when', {
    timeout: 600_000,
  }, async () => {
    await using cleanup = new AsyncDisposableStack();
    const server = cleanup.use(await startServer(kind));
    const directory = await mkdtemp(join(tmpdir(), 'flotilla-placement-'));
    cleanup.defer(() => rm(directory, { recursive: true, force: true }));
    await deploy(server, 'hub', ['namespace.yaml', 'controller-rbac.yaml']);
    const account = 'open-cluster-management-hub/registration-controller-sa';
    const kubeconfig = await kubeconfigOf(server, account, directory);
    const start = (): Program => startProgram('hub', ['placement', `--kubeconfig=${kubeconfig}`, ...election]);

    await createPlacements(server);
    const replicas = [start(), start()];
    cleanup.defer(async () => void (await Promise.all(replicas.map((replica) => replica.end('SIGKILL')))));
    const changes = fc.sample(change, { numRuns: rounds * changesInARound, seed: sampleSeed(14) });
    for (let round = 0; round < rounds; round++) {
      const joining = joinAndLeave(server, round);
      const batch = changes.slice(round * changesInARound, (round + 1) * changesInARound);
      for (const [step, each] of batch.entries()) {
        await apply(server, each);
        // At another step each time; the other replica leads then, or does so already.
        if (step === round * 2) {
          await replicas[round % 2]?.end('SIGKILL');
          replicas[round % 2] = start();
        }
      }
      await joining;
      const check = () => {
        // As the kubelet does: on a busy machine a leader may lose its lease, and ends then.
        for (const [index, replica] of replicas.entries()) if (!replica.running) replicas[index] = start();
        return differences(server);
      };
      await expect.poll(check, { timeout: 120_000, interval: 200, message: `after round ${round}` }).toEqual([]);
    }

    const pagesOf = async (name: string) =>
      (await server.client.resource(placementDecisions).list({ namespace: 'n1' })).items.filter(
        ({ metadata }) => metadata?.labels?.['cluster.open-cluster-management.io/placement'] === name,
      ).length;
    expect(await pagesOf('p0')).toBeGreaterThan(0);
    await server.client.resource(placements).delete('n1/p0');
    await expect.poll(() => pagesOf('p0'), { timeout: 60_000, message: '[placement 15.7-137]' }).toBe(0);
  });
});

/** Half of the crowd joins in even rounds, the other half in odd ones, when the first leaves. */
async function joinAndLeave({ client }: Server, round: number): Promise<void> {
  const handle = client.resource(managedClusters);
  const generated = fc.sample(cluster, { numRuns: crowd, seed: sampleSeed(round) });
  await Promise.all(
    generated.map(async ({ metadata, spec, status }, index) => {
      const name = `crowd-${String(index).padStart(2, '0')}`;
      if ((index + round) % 2 === 1) return handle.delete(name);
      await handle.create({ metadata: { name, labels: metadata?.labels }, spec });
      await handle.status.patch(name, { type: 'merge', body: { status } });
    }),
  );
}

async function createPlacements({ client }: Server): Promise<void> {
  for (const name of ['n1', 'n2', 'a1', 'b2', 'c10', 'c3', 'd', 'e', 'f', 'g']) {
    await client.resource(namespaces).create({ metadata: { name } });
  }
  for (const [index, spec] of fc.sample(sharedSpec, { numRuns: 20, seed: sampleSeed(3) }).entries()) {
    const namespace = index % 2 === 0 ? 'n1' : 'n2';
    await client.resource(placements).create({ metadata: { namespace, name: `p${index}` }, spec });
  }
}

/** Changes of the fleet; placements stay, and their decisions are the scheduler's. */
async function apply({ client }: Server, next: Change): Promise<void> {
  switch (next.kind) {
    case 'cluster': {
      const { metadata, spec, status } = next.cluster;
      const handle = client.resource(managedClusters);
      const name = metadata?.name ?? '';
      await handle.delete(name);
      await expect.poll(() => handle.find(name)).toBeUndefined();
      await handle.create({ metadata: { name, labels: metadata?.labels }, spec });
      await handle.status.patch(name, { type: 'merge', body: { status } });
      break;
    }
    case 'no-cluster':
      await client.resource(managedClusters).delete(next.name);
      break;
    case 'set':
      await client.resource(managedClusterSets).delete(next.set.metadata?.name ?? '');
      await client.resource(managedClusterSets).create(next.set);
      break;
    case 'no-set':
      await client.resource(managedClusterSets).delete(next.name);
      break;
    case 'binding': {
      const { namespace, name } = next;
      if (await client.resource(managedClusterSetBindings).find(`${namespace}/${name}`)) break;
      const spec = { clusterSet: name };
      await client.resource(managedClusterSetBindings).create({ metadata: { namespace, name }, spec });
      break;
    }
    case 'no-binding':
      await client.resource(managedClusterSetBindings).delete(`${next.namespace}/${next.name}`);
      break;
    case 'score': {
      const metadata = { namespace: next.cluster, name: next.resource };
      const handle = client.resource(addOnPlacementScores);
      const key = `${next.cluster}/${next.resource}`;
      if (!(await handle.find(key))) await handle.create({ metadata });
      const status = { scores: [{ name: 'load', value: next.value }], validUntil: next.validUntil ?? null };
      await handle.status.patch(key, { type: 'merge', body: { status } });
      break;
    }
    case 'no-score':
      await client.resource(addOnPlacementScores).delete(`${next.cluster}/${next.resource}`);
      break;
    default:
  }
}

/** Placements whose decisions are not what the rules say of the objects that the server has. */
async function differences(server: Server): Promise<string[]> {
  const world = await worldOf(server);
  const errors: string[] = [];
  for (const key of world.placements.keys()) {
    const { selected } = referenceSchedule(world, key, Date.now(), new Map());
    const decided = [...world.pages.values()].filter((page) => page.placement === key);
    const found = decided.flatMap(({ clusters }) => clusters).sort();
    if (decided.length === 0 || JSON.stringify(found) !== JSON.stringify(selected)) {
      errors.push(`${key}: decided ${found}, the rules say ${selected}`);
    }
  }
  return errors;
}

async function worldOf({ client }: Server): Promise<World> {
  const world = emptyWorld();
  const keyOf = ({ metadata }: { metadata?: { namespace?: string; name?: string } }) =>
    [metadata?.namespace, metadata?.name].filter(Boolean).join('/');
  for (const each of (await client.resource(managedClusters).list()).items) world.clusters.set(keyOf(each), each);
  for (const each of (await client.resource(managedClusterSets).list()).items) world.sets.set(keyOf(each), each);
  for (const each of (await client.resource(managedClusterSetBindings).list()).items) world.bindings.add(keyOf(each));
  for (const each of (await client.resource(addOnPlacementScores).list()).items) world.scores.set(keyOf(each), each);
  for (const each of (await client.resource(placements).list()).items) world.placements.set(keyOf(each), each);
  for (const each of (await client.resource(placementDecisions).list()).items) {
    const owner = each.metadata?.labels?.['cluster.open-cluster-management.io/placement'];
    const clusters = (each.status?.decisions ?? []).map(({ clusterName }) => clusterName);
    world.pages.set(keyOf(each), { placement: `${each.metadata?.namespace}/${owner}`, clusters });
  }
  return world;
}
