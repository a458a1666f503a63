import { type ManifestWork, manifestWorks } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { createInformers, createKubeClient, runControllers } from '@flotilla/kube';
import { clusterRoleBindings, clusterRoles, namespaces } from '@flotilla/kube/kinds';
import { formatTime } from '@flotilla/kube/meta';
import { FakeClock } from '@flotilla/kube/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorkManager } from '../create-work-manager.ts';
import { workManagerRules } from '../work-manager-role.ts';

const user = { name: 'system:serviceaccount:open-cluster-management-hub:work-controller-sa', groups: [] };

let clock: FakeClock;
let plane: ControlPlane;
let writes: string[];
let stop: () => Promise<void>;

/** Runs the controllers with the rights of `workManagerRules` and no others. */
function run(gates: Record<string, boolean> = { CleanUpCompletedManifestWork: true }): () => Promise<void> {
  const { transport } = plane.clientOf(user);
  const client = createKubeClient({
    clock,
    transport: {
      ...transport,
      request(request) {
        if (request.method !== 'GET') writes.push(`${request.method} ${request.path.split('/').at(-1)}`);
        return transport.request(request);
      },
    },
  });
  const informers = createInformers({ client, clock, random: () => 0.5 });
  const { controllers } = createWorkManager({ informers, clock, gates });
  const end = new AbortController();
  const running = runControllers(controllers, { signal: end.signal, clock });
  return async () => {
    end.abort();
    await running;
    informers.close();
  };
}

beforeEach(async () => {
  clock = new FakeClock('2026-01-01T00:00:00Z');
  writes = [];
  const name = `${manifestWorks.plural}.${manifestWorks.group}`;
  const crds = customResourceDefinitions().filter(({ metadata }) => metadata.name === name);
  plane = await startControlPlane({ listen: false, clock, crds });
  await plane.client.resource(namespaces).create({ metadata: { name: 'cluster1' } });
  await plane.client.resource(clusterRoles).create({ metadata: { name: 'work' }, rules: workManagerRules() });
  const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user.name }];
  const roleRef = { kind: 'ClusterRole', apiGroup: 'rbac.authorization.k8s.io', name: 'work' };
  await plane.client.resource(clusterRoleBindings).create({ metadata: { name: 'work' }, subjects, roleRef });
});
afterEach(async () => {
  await stop();
  await plane.stop();
});

const works = () => plane.client.resource(manifestWorks);

const create = (name: string, ttl?: number, metadata: ManifestWork['metadata'] = {}) =>
  works().create({
    metadata: { namespace: 'cluster1', name, ...metadata },
    spec: {
      workload: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name } }] },
      deleteOption: { propagationPolicy: 'Foreground', ...(ttl !== undefined && { ttlSecondsAfterFinished: ttl }) },
    },
  });

const complete = (name: string) => {
  const condition = { type: 'Complete', status: 'True', reason: 'ConditionRulesAggregated', message: '' };
  const conditions = [{ ...condition, lastTransitionTime: formatTime(clock.now()) }];
  return works().status.patch(`cluster1/${name}`, { type: 'merge', body: { status: { conditions } } });
};

const left = async () => (await works().list()).items.map(({ metadata }) => metadata?.name);

const until = (look: () => Promise<unknown>) =>
  expect.poll(async () => {
    await clock.settle();
    return look();
  });

describe('garbage collection of completed works', () => {
  it('[work 18.O-201] deletes at the very second, and only those that asked for it', async () => {
    stop = run();
    await create('ttl', 5);
    await create('forever');
    await create('running', 5);
    await create('replica', 5, { labels: { 'work.open-cluster-management.io/manifestworkreplicaset': 'a.b' } });
    for (const name of ['ttl', 'forever', 'replica']) await complete(name);
    await clock.advance(4999);
    await until(left).toEqual(['forever', 'replica', 'running', 'ttl']);
    expect(writes).toEqual([]);
    await clock.advance(1);
    await until(left).toEqual(['forever', 'replica', 'running']);
    await clock.advance(10_000);
    await until(left).toEqual(['forever', 'replica', 'running']);
    expect(writes).toEqual(['DELETE ttl']);
  });

  it('[work 18.O-200] deletes what expired while it was away, and writes nothing else', async () => {
    stop = async () => {};
    await create('expired', 5);
    await create('zero', 0);
    await complete('expired');
    await complete('zero');
    await clock.advance(60_000);
    stop = run();
    await until(left).toEqual([]);
    expect(writes.toSorted()).toEqual(['DELETE expired', 'DELETE zero']);
  });

  it('follows a time to live that is changed while it runs', async () => {
    stop = run();
    await create('w1', 5);
    await complete('w1');
    await clock.advance(3000);
    const body = { spec: { deleteOption: { ttlSecondsAfterFinished: 60 } } };
    await works().patch('cluster1/w1', { type: 'merge', body });
    await clock.settle();
    await clock.advance(10_000);
    await until(left).toEqual(['w1']);
    await clock.advance(47_000);
    await until(left).toEqual([]);
  });

  it('deletes a work with the finalizer of its agent once, and leaves the removal to the agent', async () => {
    stop = run();
    await create('held', 5, { finalizers: ['cluster.open-cluster-management.io/manifest-work-cleanup'] });
    await complete('held');
    await clock.advance(5000);
    await until(async () => (await works().get('cluster1/held')).metadata?.deletionTimestamp !== undefined).toBe(true);
    await clock.advance(60_000);
    await clock.settle();
    expect(writes).toEqual(['DELETE held']);
  });

  it('does nothing unless its gate is on', async () => {
    stop = run({});
    await create('w1', 0);
    await complete('w1');
    await clock.advance(60_000);
    expect(await left()).toEqual(['w1']);
  });
});
