import { clusterClaims, managedClusterSets, managedClusters } from '@flotilla/api-types';
import {
  type ClusterRole,
  certificateSigningRequests,
  clusterRoleBindings,
  clusterRoles,
  leases,
  namespaces,
  nodes,
  roleBindings,
} from '@flotilla/kube/kinds';
import { loadX509 } from '@flotilla/kube/pki';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../registration/fleet.ts';
import type { Program } from '../registration/program.ts';
import { type InteropFleet, startInteropFleet } from './interop-fleet.ts';
import { normalised } from './normalised.ts';

const prefix = 'open-cluster-management:managedcluster';

describe('what our programs write and what those of OCM write', () => {
  let fleet: InteropFleet;
  beforeAll(async () => {
    fleet = await startInteropFleet();
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(fleet.logs());
  });
  afterAll(() => fleet?.[Symbol.asyncDispose]());

  const read = async <T extends KubeObject>(type: ResourceType<T>, key: string, name: string) =>
    normalised(await fleet.hub.client.resource(type).find(key), name);

  /** What a hub makes of a cluster that it accepts, denies and accepts again, and of an empty hub. */
  async function ofHub(name: string, start: () => Promise<Program>): Promise<Record<string, unknown>> {
    const { client } = fleet.hub;
    const hub = await start();
    const clusters = client.resource(managedClusters);
    await clusters.create({ metadata: { name }, spec: { hubAcceptsClient: true } });
    await fleet.admin.seen.until(
      roleBindings,
      `rights of ${name}`,
      ({ metadata }) => metadata?.name === `${prefix}:${name}:work`,
    );
    await fleet.admin.seen.until(leases, `the lease of ${name}`, ({ metadata }) => metadata?.namespace === name);
    await fleet.admin.condition(name, 'HubAcceptedManagedCluster', 'True');
    await fleet.admin.seen.until(
      managedClusterSets,
      'the global set with a cluster',
      ({ metadata, status }) =>
        metadata?.name === 'global' && status?.conditions?.[0]?.message === '1 ManagedClusters selected',
    );
    const written: Record<string, unknown> = {
      namespace: await read(namespaces, name, name),
      'cluster role': await read(clusterRoles, `${prefix}:${name}`, name),
      'cluster role binding': await read(clusterRoleBindings, `${prefix}:${name}`, name),
      'registration binding': await read(roleBindings, `${name}/${prefix}:${name}:registration`, name),
      'work binding': await read(roleBindings, `${name}/${prefix}:${name}:work`, name),
      'registration role': await read(clusterRoles, `${prefix}:registration`, name),
      'work role': await read(clusterRoles, `${prefix}:work`, name),
      lease: await read(leases, `${name}/managed-cluster-lease`, name),
      'default set': await read(managedClusterSets, 'default', name),
      'global set': await read(managedClusterSets, 'global', name),
      cluster: await read(managedClusters, name, name),
    };
    await fleet.admin.accept(name, false);
    await fleet.admin.condition(name, 'HubAcceptedManagedCluster', 'False');
    await expect.poll(() => fleet.mayRenewLease(name), { timeout: 30_000 }).toBe(false);
    written['cluster role when denied'] = await read(clusterRoles, `${prefix}:${name}`, name);
    written['cluster when denied'] = await read(managedClusters, name, name);
    await clusters.delete(name);
    await fleet.admin.seen.gone(managedClusters, name);
    written['cluster role when deleted'] = await read(clusterRoles, `${prefix}:${name}`, name);
    await hub.end();
    // The next hub is to make these too.
    for (const role of ['registration', 'work']) await client.resource(clusterRoles).delete(`${prefix}:${role}`);
    for (const set of ['default', 'global']) await client.resource(managedClusterSets).delete(set);
    return written;
  }

  it('are the same objects of a hub', async () => {
    const { 'registration role': theirRole, ...theirs } = await ofHub('of-theirs', () => fleet.startOcmHub());
    const { 'registration role': ourRole, ...ours } = await ofHub('of-ours', async () => fleet.startHub());
    expect(ours).toEqual(theirs);
    // The one right that is narrower: OCM lets a cluster change every lease in its namespace.
    // The one more right is to an API of ours: the connection by which the hub reaches this cluster, and no other.
    const tunnel = 'get tunnels/attach.clusterproxy.open-cluster-management.io';
    expect(flatRules(ourRole)).toContain(tunnel);
    expect(flatRules(ourRole).filter((rule) => rule !== tunnel)).toEqual(
      flatRules(theirRole).map((rule) =>
        rule === 'update leases.coordination.k8s.io' ? `${rule} managed-cluster-lease` : rule,
      ),
    );
    const absent = Object.keys(ours).filter((what) => ours[what] === undefined);
    expect(absent).toEqual(['cluster role when deleted']);
  });

  /** What an agent reports to the hub about a cluster. */
  async function ofAgent(
    name: string,
    cluster: Cluster,
    start: () => Promise<Program>,
  ): Promise<Record<string, unknown>> {
    const agent = await start();
    const { spec: request, metadata } = await fleet.admin.asked(name);
    await fleet.accept(name);
    await fleet.beatsOn(name);
    await fleet.admin.seen.until(
      managedClusters,
      'what the cluster has',
      (object) => object.metadata?.name === name && Boolean(object.status?.clusterClaims?.length),
    );
    await fleet.admin.condition(name, 'ManagedClusterConditionClockSynced', 'True');
    // On a busy machine a heartbeat comes late, and the cluster is unreachable for a moment.
    await fleet.admin.seen.until(
      managedClusters,
      'a cluster without taints',
      (object) => object.metadata?.name === name && !object.spec?.taints?.length,
    );
    const written = {
      cluster: await read(managedClusters, name, name),
      lease: await read(leases, `${name}/managed-cluster-lease`, name),
      request: normalised(
        {
          metadata: { labels: metadata?.labels ?? {} },
          spec: { ...request, request: await subjectOf(request.request) },
        },
        name,
      ),
      // Ours also records which registration the identity belongs to, and its auth type.
      identity: Object.keys((await cluster.identity()) ?? {})
        .filter((key) => key !== 'join-record' && key !== 'registration-auth')
        .sort(),
    };
    await agent.end();
    await cluster.forgetIdentity();
    await fleet.hub.client.resource(managedClusters).delete(name);
    await fleet.admin.seen.gone(managedClusters, name);
    await fleet.hub.client.resource(certificateSigningRequests).delete(metadata?.name ?? '');
    return written;
  }

  it('are the same words of an agent', async () => {
    const hub = fleet.startHub();
    const cluster = await fleet.newCluster();
    await furnish(cluster);
    const theirs = await ofAgent('by-theirs', cluster, () => fleet.startOcmAgent(cluster, 'by-theirs'));
    const ours = await ofAgent('by-ours', cluster, async () => cluster.startAgent('by-ours'));
    expect(ours).toEqual(theirs);
    await hub.end();
  });
});

/** The rules of a role, one verb of one resource each. */
const flatRules = (role: unknown): string[] =>
  ((Object(role).rules as ClusterRole['rules']) ?? [])
    .flatMap(({ apiGroups = [], resources = [], resourceNames = [], verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) =>
          verbs.map((verb) => [verb, `${resource}.${group}`, ...resourceNames].join(' ')),
        ),
      ),
    )
    .sort();

/** Whom a request asks a certificate for, but for the name that an agent makes up: the rest is random too. */
async function subjectOf(request: string): Promise<string> {
  const { Pkcs10CertificateRequest } = await loadX509();
  const { subject } = new Pkcs10CertificateRequest(Buffer.from(request, 'base64').toString());
  return subject.replace(/:[a-z0-9]{5}$/, ':AGENT');
}

/** Gives a cluster what its agent reports. */
async function furnish({ server: { client } }: Cluster): Promise<void> {
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'ready' } as const;
  const status = (cpu: string, memory: string) => ({
    capacity: { cpu, memory, pods: '110', 'example.com/gpu': '1' },
    allocatable: { cpu, memory, pods: '100' },
    conditions: [{ ...ready, lastTransitionTime: '2026-01-01T00:00:00Z', lastHeartbeatTime: '2026-01-01T00:00:00Z' }],
  });
  const handle = client.resource(nodes);
  await handle.create({ metadata: { name: 'one' } });
  await handle.create({ metadata: { name: 'two' }, spec: { unschedulable: true } });
  await handle.status.patch('one', { type: 'merge', body: { status: status('3920m', '16374228Ki') } });
  await handle.status.patch('two', { type: 'merge', body: { status: status('2', '1.5Gi') } });
  const claims = client.resource(clusterClaims);
  for (const [name, value] of Object.entries({ 'id.k8s.io': 'abc', zone: 'b', 'about.example.com': 'x' })) {
    await claims.create({ metadata: { name }, spec: { value } });
  }
}
