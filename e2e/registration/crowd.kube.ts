import { Annotation, Label, managedClusters } from '@flotilla/api-types';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { csrDriver } from '@flotilla/driver-csr';
import { realClock, staticAccess } from '@flotilla/kube';
import {
  certificateSigningRequests,
  clusterRoleBindings,
  clusterRoles,
  leases,
  namespaces,
  roleBindings,
} from '@flotilla/kube/kinds';
import { type Agent, accessFiles, bindDriver, createAgent } from '@flotilla/registration-core/agent';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bootstrapAccount, inFleet } from './fleet.ts';
import { metricsOf } from './program.ts';
import { serverKinds, startMortalServer } from './servers.ts';

const size = 200;
const names = Array.from({ length: size }, (_, index) => `crowd-${index}`);
const namespace = 'open-cluster-management-agent';
const timeoutMs = 240_000;
const [bootstrapNamespace, bootstrapName] = bootstrapAccount.split('/');

/** Managed clusters without sockets, in this process as their agents are. */
let planes: ControlPlane[] = [];
beforeAll(async () => {
  planes = await Promise.all(names.map(() => startControlPlane({ listen: false })));
  await Promise.all(planes.map(({ client }) => client.resource(namespaces).create({ metadata: { name: namespace } })));
});
afterAll(async () => {
  await Promise.all(planes.map((plane) => plane.stop()));
});

it.each(serverKinds)(
  'on %s, 200 agents of one process join at once, and each is accepted exactly once',
  {
    timeout: 400_000,
  },
  (kind) =>
    inFleet(startMortalServer(kind), async (fleet) => {
      const { seen } = fleet.admin;
      const { client } = fleet.hub;
      const user = `system:serviceaccount:${bootstrapNamespace}:${bootstrapName}`;
      const hub = fleet.startHub([
        '--feature-gates=ManagedClusterAutoApproval=true',
        `--auto-approved-csr-users=${user}`,
      ]);
      await hub.said('serving health and metrics');
      using clusterChanges = await seen.record(managedClusters);
      using requestChanges = await seen.record(certificateSigningRequests);
      using roleChanges = await seen.record(clusterRoles, ({ metadata }) => !!metadata?.labels?.[Label.ClusterName]);
      using bindingChanges = await seen.record(roleBindings, ({ metadata }) => !!metadata?.labels?.[Label.ClusterName]);

      const end = new AbortController();
      const agents = names.map((clusterName, index): Agent => {
        const { client: managed } = planes[index] ?? {};
        if (!managed) throw new Error('there are fewer clusters than agents');
        return createAgent({
          management: managed,
          spoke: managed,
          driver: bindDriver(csrDriver, {
            bootstrapKubeconfig: 'bootstrap',
            bootstrapKubeconfigs: [],
            clientCertExpirationSeconds: 0,
          }),
          bootstrapFiles: accessFiles(staticAccess(fleet.bootstrap)),
          options: {
            clusterName,
            agentName: 'agent',
            namespace,
            hubKubeconfigSecret: `hub-${kind}`,
            featureGates: { ClusterClaim: false },
          },
        });
      });
      const start = realClock.monotonic();
      const running = agents.map((agent) => agent.run(end.signal));
      const tookMs = await Promise.all(
        names.map(async (name) => {
          await seen.until(
            managedClusters,
            `${name} to join`,
            ({ metadata, status }) =>
              metadata?.name === name &&
              ['HubAcceptedManagedCluster', 'ManagedClusterJoined', 'ManagedClusterConditionAvailable'].every((type) =>
                status?.conditions?.some((condition) => condition.type === type && condition.status === 'True'),
              ),
            timeoutMs,
          );
          return realClock.monotonic() - start;
        }),
      );
      tookMs.sort((a, b) => a - b);
      const metrics = await metricsOf(hub);
      const requests = sum(metrics, 'rest_client_requests_total');
      console.log(
        `${kind}: ${size} agents joined; first ${seconds(tookMs[0])}, half ${seconds(tookMs[size / 2])}, last ${seconds(tookMs.at(-1))}; ` +
          `hub: ${requests} requests, ${(sum(metrics, 'process_cpu_seconds_total') ?? 0).toFixed(1)} s CPU, ` +
          `${(sum(metrics, 'process_resident_memory_bytes') / 2 ** 20).toFixed(0)} MiB`,
      );
      end.abort();
      await Promise.all(running);

      const labelled = { labelSelector: Label.ClusterName };
      const { items: asked } = await client.resource(certificateSigningRequests).list();
      expect(asked.map(({ metadata }) => metadata?.labels?.[Label.ClusterName]).sort()).toEqual([...names].sort());
      const approvals = asked.map(({ status }) => status?.conditions?.filter(({ type }) => type === 'Approved').length);
      expect(approvals).toEqual(names.map(() => 1));
      // From undecided to decided and from decided to signed; nothing was decided twice.
      const decisions = requestChanges.changes.filter(({ type }) => type === 'updated');
      expect(decisions.length).toBeLessThanOrEqual(2 * size);

      const acceptances = new Set(
        clusterChanges.changes.map(
          ({ object: { metadata } }) =>
            `${metadata?.name} ${metadata?.annotations?.[Annotation.AutomaticallyAcceptedOn]}`,
        ),
      );
      expect([...acceptances].filter((text) => !text.endsWith(' undefined'))).toHaveLength(size);
      const { items: accepted } = await client.resource(managedClusters).list();
      expect(accepted.filter(({ spec }) => spec?.hubAcceptsClient)).toHaveLength(size);
      expect((await client.resource(namespaces).list(labelled)).items).toHaveLength(size);
      expect((await client.resource(clusterRoleBindings).list(labelled)).items).toHaveLength(size);
      expect(
        (await client.resource(leases).list({ fieldSelector: 'metadata.name=managed-cluster-lease' })).items,
      ).toHaveLength(size);
      // Made once and never touched again.
      expect(roleChanges.changes.map(({ type }) => type)).toEqual(Array.from({ length: size }, () => 'added'));
      expect(bindingChanges.changes.map(({ type }) => type)).toEqual(Array.from({ length: 2 * size }, () => 'added'));
    }),
);

const seconds = (ms = 0): string => `${(ms / 1000).toFixed(1)} s`;

/** The sum of all series of a metric. */
const sum = (metrics: string, metric: string): number =>
  metrics
    .split('\n')
    .filter((line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `))
    .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' '))), 0);
