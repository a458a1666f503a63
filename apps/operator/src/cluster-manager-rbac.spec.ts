import { ClusterProxyApi, clusterManagers, NamespaceName } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { clusterManagerObjects } from '@flotilla/install/chart';
import { createKubeClient, KubeError, realClock, silentLogger } from '@flotilla/kube';
import { apiServices, namespaces } from '@flotilla/kube/kinds';
import type { KubeRequest, Transport } from '@flotilla/kube/transport';
import { runHubOperator } from '@flotilla/operator';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { drivers } from './drivers.ts';

const account = {
  name: 'system:serviceaccount:open-cluster-management:cluster-manager',
  groups: ['system:serviceaccounts', 'system:authenticated'],
};
/** Only ends what hangs, also on a machine that is busy elsewhere. */
const patience = { timeout: 60_000, interval: 50 };

let plane: ControlPlane;
let refused: string[];
let stop: AbortController;
let running: Promise<void>;

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
    accessChanged: transport.accessChanged,
    request: watched((request) => transport.request(request)),
    stream: watched((request) => transport.stream(request)),
    close: () => transport.close(),
  };
}

beforeEach(async () => {
  refused = [];
  const crds = customResourceDefinitions().filter(({ spec }) => spec.names.kind === 'ClusterManager');
  plane = await startControlPlane({ listen: false, crds, simulator: { latency: { startMs: 0, stopMs: 0 } } });
  await plane.client.resource(namespaces).create({ metadata: { name: NamespaceName.Operator } });
  const chart = clusterManagerObjects({ clusterManager: { create: false } }, { version: '0.0.0', drivers });
  for (const object of chart.filter(({ kind }) => kind !== 'Deployment')) {
    const handle = await plane.client.dynamic({ apiVersion: object.apiVersion ?? '', kind: object.kind ?? '' });
    await handle.apply(object, { fieldManager: 'spec', force: true });
  }
  stop = new AbortController();
  const client = createKubeClient({ transport: recording(plane.clientOf(account).transport), clock: realClock });
  const settings = {
    namespace: NamespaceName.Operator,
    hubImage: 'flotilla/hub',
    drivers,
    syncLabels: false,
    replicas: 1,
    nodeSelector: 'node-role.kubernetes.io/master=',
    keepsDefinitions: false,
  };
  running = runHubOperator({ settings, client, clock: realClock, log: silentLogger }, stop.signal);
});
afterEach(async () => {
  stop.abort();
  await running;
  await plane.stop();
});

it('has every right that it needs to install a hub with all parts and to remove it, and grants no more than it has', {
  timeout: 150_000,
}, async () => {
  const on = (feature: string) => ({ feature, mode: 'Enable' as const });
  const handle = plane.client.resource(clusterManagers);
  await handle.create({
    metadata: { name: 'cluster-manager' },
    spec: {
      registrationConfiguration: {
        featureGates: [on('ClusterProfile'), on('ClusterImporter')],
        registrationDrivers: [
          { authType: 'csr' },
          { authType: 'grpc' },
          { authType: 'awsirsa', awsirsa: { hubClusterArn: 'arn:aws:eks:us-west-2:123456789012:cluster/hub' } },
        ],
      },
      workConfiguration: { workDriver: 'kube', featureGates: [on('ManifestWorkReplicaSet')] },
      placementConfiguration: { featureGates: [on('PlacementDebugServer')] },
      serverConfiguration: { featureGates: [on('ClusterProxy'), on('PushAgents')] },
    },
  });
  const applied = async () => {
    const { conditions = [] } = (await handle.find('cluster-manager'))?.status ?? {};
    const { status, message } = conditions.find(({ type }) => type === 'Applied') ?? {};
    return `${status} ${message}`;
  };
  await expect.poll(applied, patience).toBe('True Components of cluster manager are applied');
  await expect.poll(() => plane.client.resource(apiServices).find(ClusterProxyApi.apiService), patience).toBeDefined();
  await handle.delete('cluster-manager');
  await expect.poll(() => handle.find('cluster-manager'), patience).toBeUndefined();
  expect(refused).toEqual([]);
});
