import { readFile } from 'node:fs/promises';
import {
  type KubeObject,
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
import {
  createKubeClient,
  formatTime,
  KubeError,
  type KubeRequest,
  leases,
  namespaces,
  noMetrics,
  silentLogger,
  type Transport,
} from '@flotilla/kube';
import { parseOptions } from '@flotilla/kube/process';
import { FakeClock } from '@flotilla/kube/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { controllerOptions } from './options.ts';
import { runHub } from './run-hub.ts';

const account = { name: 'system:serviceaccount:open-cluster-management-hub:registration-controller-sa', groups: [] };

const optionsOf = (...argv: string[]) => {
  const parsed = parseOptions(controllerOptions([csrDriver]), { argv, env: {} });
  if (parsed.kind !== 'run') throw new Error(`asked for ${parsed.kind}`);
  return parsed.values;
};

let clock: FakeClock;
let plane: ControlPlane;
let refused: string[];
let stop: AbortController;
let ended: Promise<void>;

/** Remembers what the API server forbade. */
function recording(transport: Transport): Transport {
  const watched =
    <R>(send: (request: KubeRequest) => Promise<R>) =>
    async (request: KubeRequest): Promise<R> => {
      try {
        return await send(request);
      } catch (error) {
        if (KubeError.is(error, 'Forbidden')) refused.push(`${request.method} ${request.path}: ${error.message}`);
        throw error;
      }
    };
  return {
    moved: transport.moved,
    request: watched((request) => transport.request(request)),
    stream: watched((request) => transport.stream(request)),
    close: () => transport.close(),
  };
}

async function applyManifests(...files: string[]): Promise<void> {
  for (const file of files) {
    const text = await readFile(new URL(`../deploy/${file}`, import.meta.url), 'utf8');
    for (const document of parseAllDocuments(text)) {
      const object: KubeObject = document.toJS();
      const handle = await plane.client.dynamic({ apiVersion: object.apiVersion ?? '', kind: object.kind ?? '' });
      await handle.apply(object, { fieldManager: 'spec', force: true });
    }
  }
}

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
  await applyManifests('namespace.yaml', 'controller-rbac.yaml');
  refused = [];
  stop = new AbortController();
  const client = createKubeClient({ transport: recording(plane.clientOf(account).transport), clock });
  ended = runHub({
    client,
    drivers: [csrDriver],
    options: optionsOf('--labels=team=fleet', '--feature-gates=ClusterProfile=true,CleanUpCompletedManifestWork=true'),
    signal: stop.signal,
    clock,
    log: silentLogger,
    kitMetrics: () => noMetrics,
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
