import { Label, type ManagedCluster } from '@flotilla/api-types';
import type { ClusterRole, ClusterRoleBinding, RoleBinding } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fault, handlesOf, newCluster, newWork, type RunningHub, startHub } from './fixtures/running-hub.ts';

// A hub may end between any two of its requests, or between a request and its answer. Whoever comes after it must find the way.

let hub: RunningHub;
beforeAll(async () => {
  hub = await startHub();
});
afterAll(() => hub.stop());

/** How a hub ends: before its n-th write reaches the server, or when the server has taken it. */
interface Death {
  readonly atWrite: number;
  readonly taken: boolean;
}

type Step = readonly [what: string, act: (cluster: string) => Promise<unknown>];

const accepts = (cluster: string, hubAcceptsClient: boolean) =>
  handlesOf(hub).clusters.patch(cluster, { type: 'merge', body: { spec: { hubAcceptsClient } } });
const free = { type: 'merge', body: { metadata: { finalizers: null } } } as const;

/** The life of a cluster, as an administrator and its agents lead it. */
const life: readonly Step[] = [
  ['is made', (cluster) => handlesOf(hub).clusters.create(newCluster(cluster))],
  ['is accepted', (cluster) => accepts(cluster, true)],
  ['gets work', (cluster) => handlesOf(hub).works.create(newWork(cluster, 'w', { finalizers: ['example.com/agent'] }))],
  ['is denied', (cluster) => accepts(cluster, false)],
  ['is accepted again', (cluster) => accepts(cluster, true)],
  [
    'gets an add-on',
    (cluster) =>
      handlesOf(hub).addons.create({
        metadata: { name: 'a', namespace: cluster, finalizers: ['example.com/agent'] },
        spec: {},
      }),
  ],
  ['is deleted', (cluster) => handlesOf(hub).clusters.delete(cluster)],
  ['has its add-on removed', (cluster) => handlesOf(hub).addons.patch(`${cluster}/a`, free)],
  ['has its work removed', (cluster) => handlesOf(hub).works.patch(`${cluster}/w`, free)],
];

/** What a hub is to make of a cluster, without times and versions, and with the name of the cluster taken out. */
async function stateOf(cluster: string): Promise<unknown> {
  const all = handlesOf(hub);
  const labelSelector = `${Label.ClusterName}=${cluster}`;
  const named = ({ metadata }: KubeObject) => ({
    name: metadata?.name,
    labels: metadata?.labels,
    finalizers: [...(metadata?.finalizers ?? [])].sort(),
    deleting: metadata?.deletionTimestamp !== undefined,
  });
  const role = (object: ClusterRole | ClusterRoleBinding | RoleBinding) => {
    const { metadata: _, apiVersion: __, ...content } = object;
    return { ...named(object), ...content };
  };
  const found = await all.clusters.find(cluster);
  const inCluster = { namespace: cluster };
  const state = {
    cluster: found && { ...named(found), spec: found.spec, conditions: conditionsOf(found) },
    namespaces: (await all.namespaces.list({ labelSelector })).items.map(named),
    clusterRoles: (await all.clusterRoles.list({ labelSelector })).items.map(role),
    clusterRoleBindings: (await all.clusterRoleBindings.list({ labelSelector })).items.map(role),
    roleBindings: (await all.roleBindings.list(inCluster)).items.map(role),
    leases: (await all.leases.list(inCluster)).items.map(named),
    addons: (await all.addons.list(inCluster)).items.map(named),
    works: (await all.works.list(inCluster)).items.map(named),
  };
  return JSON.parse(JSON.stringify(state).replaceAll(cluster, 'NAME'));
}

const conditionsOf = ({ status }: ManagedCluster) =>
  (status?.conditions ?? [])
    .map(({ type, status: value, reason, message }) => [type, value, reason, message].join(' '))
    .sort();

/** Kills the hub at its n-th write from now, and takes no later one. */
function killer({ atWrite, taken }: Death): { readonly fault: Fault; readonly killed: () => boolean } {
  let left = atWrite;
  let killed = false;
  const fault: Fault = () => {
    if (killed) return 'Unavailable';
    if (left-- > 0) return undefined;
    killed = true;
    return taken ? 'answer-lost' : 'Unavailable';
  };
  return { fault, killed: () => killed };
}

/** Leads the life of a cluster under hubs that die, one after the other, and gives the state after each step. */
async function live(cluster: string, deaths: readonly Death[]): Promise<unknown[]> {
  const toDie = [...deaths];
  const arm = () => {
    const next = toDie.shift();
    const armed = next && killer(next);
    hub.failWith(armed?.fault);
    return armed;
  };
  let current = arm();
  const states: unknown[] = [];
  for (const [, act] of life) {
    await act(cluster);
    await hub.quiet();
    while (current?.killed()) {
      await hub.restart(() => {
        current = arm();
      });
    }
    states.push(await stateOf(cluster));
  }
  hub.failWith(undefined);
  return states;
}

/** After each step it is as if no hub had died. */
function expectSame(states: readonly unknown[], expected: readonly unknown[], how: string): void {
  for (const [at, [what]] of life.entries()) expect(states[at], `${what}, killed ${how}`).toEqual(expected[at]);
}

describe('what becomes of a cluster is the same', () => {
  let lives = 0;
  let expected: unknown[];
  /** How many writes its life takes, where all that clusters share exists already. */
  let writes: number;
  beforeAll(async () => {
    await live('first', []);
    hub.takeWrites();
    expected = await live('steady', []);
    writes = hub.takeWrites().length;
    expect(expected.at(-1)).toMatchObject({ roleBindings: [], clusterRoles: [], works: [], addons: [] });
  });

  it('wherever a hub is killed', async () => {
    expect(writes).toBeGreaterThan(20);
    for (let atWrite = 0; atWrite < writes; atWrite++) {
      // One whose last write is taken is one that is killed before the next.
      const death = { atWrite, taken: false };
      expectSame(await live(`killed${++lives}`, [death]), expected, JSON.stringify(death));
    }
  }, 120_000);

  it('when the heirs of a hub are killed too', async () => {
    const deaths = fc.array(fc.record({ atWrite: fc.nat(20), taken: fc.boolean() }), { minLength: 2, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(deaths, async (sequence) => {
        expectSame(await live(`killed${++lives}`, sequence), expected, JSON.stringify(sequence));
      }),
      { numRuns: 6, endOnFailure: true },
    );
  }, 1_200_000);
});
