import { type ManagedCluster, managedClusters } from '@flotilla/api-types';
import { createInformers, type KubeClient } from '@flotilla/kube';
import type { Figure } from '../lib/report.ts';

const count = 10_000;
const concurrency = 50;

/** Ten thousand ManagedClusters on the server, then in an informer: how long it takes and how much memory each needs. */
export async function measureStore(client: KubeClient): Promise<Figure[]> {
  const handle = client.resource(managedClusters);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await createCluster(next++);
  };
  const createCluster = async (index: number): Promise<void> => {
    const created = await handle.create(cluster(index));
    await handle.status.patch(created.metadata.name ?? '', { type: 'merge', body: { status: status(index) } });
  };
  await Promise.all(Array.from({ length: concurrency }, worker));

  // The peer: the same list as one parsed body, as it came, which is what a client without a store of its own would hold.
  const plain = await measure(async () => {
    const { body } = await client.transport.request({ method: 'GET', path: listPath, deadlineMs: 60_000 });
    return JSON.parse(body) as unknown;
  });
  using informers = createInformers({ client });
  const informer = await measure(async () => {
    const cached = informers.resource(managedClusters);
    await cached.whenSynced({ timeoutMs: 60_000 });
    if (cached.size !== count) throw new Error(`the store has ${cached.size} of ${count} objects`);
    return cached;
  });
  const peer = (value: number) => ({ name: 'one GET, JSON.parse', value });
  return [
    {
      what: 'a ManagedCluster in the store',
      ours: informer.bytes / count,
      unit: 'bytes',
      peer: peer(plain.bytes / count),
    },
    { what: `ingest of ${count} ManagedClusters`, ours: informer.ms, unit: 'ms', peer: peer(plain.ms) },
  ];
}

const listPath = '/apis/cluster.open-cluster-management.io/v1/managedclusters';

async function measure<T>(make: () => Promise<T>): Promise<{ ms: number; bytes: number; made: T }> {
  const collect = globalThis.gc;
  if (!collect) throw new Error('run with node --expose-gc');
  collect();
  const before = process.memoryUsage().heapUsed;
  const start = performance.now();
  const made = await make();
  const ms = performance.now() - start;
  collect();
  return { ms, bytes: process.memoryUsage().heapUsed - before, made };
}

const cluster = (index: number): ManagedCluster => ({
  metadata: {
    name: `cluster-${index}`,
    labels: {
      'cluster.open-cluster-management.io/clusterset': 'default',
      region: `region-${index % 20}`,
      cloud: 'Amazon',
    },
  },
  spec: {
    hubAcceptsClient: true,
    leaseDurationSeconds: 60,
    managedClusterClientConfigs: [{ url: `https://cluster-${index}.example.com:6443` }],
  },
});

const status = (index: number): NonNullable<ManagedCluster['status']> => ({
  version: { kubernetes: 'v1.36.3' },
  capacity: { cpu: '64', memory: '256Gi', pods: '500' },
  allocatable: { cpu: '62', memory: '250Gi', pods: '500' },
  clusterClaims: [
    { name: 'id.k8s.io', value: `cluster-${index}` },
    { name: 'platform.open-cluster-management.io', value: 'AWS' },
    { name: 'region.open-cluster-management.io', value: `region-${index % 20}` },
  ],
  conditions: [
    condition('HubAcceptedManagedCluster', 'HubClusterAdminAccepted', 'Accepted by hub cluster admin'),
    condition('ManagedClusterJoined', 'ManagedClusterJoined', 'Managed cluster joined'),
    condition('ManagedClusterConditionAvailable', 'ManagedClusterAvailable', 'Managed cluster is available'),
  ],
});

const condition = (type: string, reason: string, message: string) => ({
  type,
  status: 'True' as const,
  reason,
  message,
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
