import {
  type ManagedCluster,
  managedClusterAddOns,
  managedClusterSetBindings,
  managedClusterSets,
  managedClusters,
  manifestWorks,
} from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { csrDriver } from '@flotilla/driver-csr';
import { runHub } from '@flotilla/hub-runtime';
import { createKubeClient, silentLogger } from '@flotilla/kube';
import { leases, namespaces } from '@flotilla/kube/kinds';
import { formatTime } from '@flotilla/kube/meta';
import { FakeClock } from '@flotilla/kube/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { applyManifests, recording } from './fixtures/restricted.ts';

const account = { name: 'system:serviceaccount:open-cluster-management-hub:registration-controller-sa', groups: [] };

let clock: FakeClock;
let plane: ControlPlane;
let refused: string[];
let stop: AbortController;
let ended: Promise<void>;

const conditionsOf = async (name: string): Promise<string[]> => {
  const cluster = await plane.client.resource(managedClusters).find(name);
  return (cluster?.status?.conditions ?? []).map(({ type, status }) => `${type}=${status}`);
};

/** Moves no time; waits for what controllers do among themselves. */
const until = (look: () => Promise<boolean>) =>
  expect.poll(async () => {
    await clock.settle();
    return look();
  });

beforeEach(async () => {
  clock = new FakeClock();
  plane = await startControlPlane({ listen: false, clock, crds: customResourceDefinitions() });
  await applyManifests(plane.client, 'namespace.yaml', 'controller-rbac.yaml');
  refused = [];
  stop = new AbortController();
  const client = createKubeClient({ transport: recording(plane.clientOf(account).transport, refused), clock });
  ended = runHub({
    client,
    drivers: [csrDriver],
    driverOptions: { autoApprovedCsrUsers: [], clusterAutoApprovalUsers: [] },
    gates: { ClusterProfile: true, CleanUpCompletedManifestWork: true },
    options: { labels: { team: 'fleet' } },
    signal: stop.signal,
    clock,
    log: silentLogger,
  });
});

afterEach(async () => {
  stop.abort();
  await ended;
  await plane.stop();
});

const newCluster = (name: string): ManagedCluster => ({
  metadata: { name, labels: { 'cluster.open-cluster-management.io/clusterset': 'default' } },
  spec: { hubAcceptsClient: true },
});

/** Completes a work that is not to outlive it. */
async function collectsCompletedWork(): Promise<void> {
  const works = plane.client.resource(manifestWorks);
  await works.create({
    metadata: { namespace: 'c1', name: 'job' },
    spec: {
      workload: { manifests: [] },
      deleteOption: { propagationPolicy: 'Foreground', ttlSecondsAfterFinished: 0 },
    },
  });
  const complete = { type: 'Complete', status: 'True', reason: 'ConditionRulesAggregated', message: '' };
  const conditions = [{ ...complete, lastTransitionTime: formatTime(clock.now()) }];
  await works.status.patch('c1/job', { type: 'merge', body: { status: { conditions } } });
  await until(async () => (await works.find('c1/job')) === undefined).toBe(true);
}

it('has every right that the controllers need in the life of a cluster', async () => {
  const clusters = plane.client.resource(managedClusters);
  await until(async () => Boolean(await plane.client.resource(managedClusterSets).find('global'))).toBe(true);
  await plane.client.resource(namespaces).create({ metadata: { name: 'team' } });
  await plane.client
    .resource(managedClusterSetBindings)
    .create({ metadata: { namespace: 'team', name: 'default' }, spec: { clusterSet: 'default' } });
  await clusters.create(newCluster('c1'));
  await until(() => conditionsOf('c1').then((found) => found.includes('HubAcceptedManagedCluster=True'))).toBe(true);
  await until(async () => Boolean(await plane.client.resource(leases).find('c1/managed-cluster-lease'))).toBe(true);
  await plane.client
    .resource(managedClusterAddOns)
    .create({ metadata: { namespace: 'c1', name: 'search', finalizers: ['spec/hold'] }, spec: {} });
  await plane.client
    .resource(manifestWorks)
    .create({ metadata: { namespace: 'c1', name: 'w1' }, spec: { workload: { manifests: [] } } });

  // The heartbeat stays away.
  await clock.advance(400_000);
  await until(() =>
    conditionsOf('c1').then((found) => found.includes('ManagedClusterConditionAvailable=Unknown')),
  ).toBe(true);

  await clusters.patch('c1', { type: 'merge', body: { spec: { hubAcceptsClient: false } } });
  await plane.client.resource(manifestWorks).delete('c1/w1');
  await until(() => conditionsOf('c1').then((found) => found.includes('HubAcceptedManagedCluster=False'))).toBe(true);
  await clusters.patch('c1', { type: 'merge', body: { spec: { hubAcceptsClient: true } } });
  await until(() => conditionsOf('c1').then((found) => found.includes('HubAcceptedManagedCluster=True'))).toBe(true);

  await plane.client
    .resource(manifestWorks)
    .create({ metadata: { namespace: 'c1', name: 'w2' }, spec: { workload: { manifests: [] } } });
  await collectsCompletedWork();

  await clusters.delete('c1');
  await until(async () => {
    const addOn = await plane.client.resource(managedClusterAddOns).find('c1/search');
    return addOn?.metadata?.deletionTimestamp !== undefined;
  }).toBe(true);
  await plane.client
    .resource(managedClusterAddOns)
    .patch('c1/search', { type: 'merge', body: { metadata: { finalizers: null } } });
  await until(async () => (await clusters.find('c1')) === undefined).toBe(true);
  expect(refused).toEqual([]);
});
