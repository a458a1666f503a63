import { managedClusterAddOns } from '@flotilla/api-types';
import { clusterRoleBindings, namespaces } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildChecks, type CheckReport, runChecks } from '../control-plane/client-go/program.ts';
import { mountSecret } from '../grpc/addon-secret.ts';
import { type GrpcFleet, startGrpcFleet } from '../grpc/grpc-fleet.ts';
import { startServer } from '../registration/servers.ts';

const name = 'by-grpc';
const addOnNamespace = 'open-cluster-management-agent-addon';
const rbac = 'rbac.authorization.k8s.io';

let fleet: GrpcFleet;
let report: CheckReport;
let connections: () => number;
beforeAll(async () => {
  const [program, hub] = await Promise.all([buildChecks(), startServer('kube-apiserver')]);
  fleet = await startGrpcFleet(hub);
  fleet.startGrpcHub();
  let server = await fleet.startGrpcServer();
  const cluster = await fleet.newGrpcCluster();
  connections = cluster.apiServerConnections;
  cluster.startGrpcAgent(name);
  await fleet.admin.admit(name);
  await fleet.admin.joined(name);
  await cluster.server.client.resource(namespaces).create({ metadata: { name: addOnNamespace } });
  // The checks are those of an administrator; what an add-on may do is not their subject.
  await hub.client.resource(clusterRoleBindings).create({
    metadata: { name: 'checks' },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: rbac, kind: 'Group', name: `system:open-cluster-management:cluster:${name}:addon:checks` }],
  });
  const addOns = hub.client.resource(managedClusterAddOns);
  await addOns.create({ metadata: { namespace: name, name: 'checks' }, spec: {} });
  const registrations = [{ type: 'kubeClient', kubeClient: {} }];
  await addOns.status.patch(`${name}/checks`, { type: 'merge', body: { status: { registrations } } });
  await using mounted = await mountSecret(cluster.server.client, `${addOnNamespace}/checks-hub-kubeconfig`);
  report = await runChecks(program, {
    kubeconfigPath: mounted.kubeconfig,
    async restart() {
      await server.end('SIGKILL');
      server = await fleet.startGrpcServer();
    },
  });
}, 900_000);
afterAll(() => fleet?.[Symbol.asyncDispose]());

/** What an add-on cannot do over gRPC: act for others, or as somebody else than its Secret says. */
const refused: Readonly<Record<string, RegExp>> = {
  'an administrator acts as somebody else, and nobody else does': /cannot impersonate over gRPC/,
  'subject access reviews tell what a role allows': /cannot impersonate over gRPC/,
  "a token that was requested is one's name, for its audience and while its account is there": /no client certificate/,
  "a certificate that was approved and issued is one's name": /no client certificate/,
  'tokens and certificates are good after a restart of the server': /no client certificate/,
};

it('a controller with client-go works through the agent of its cluster, in every check that does not act for others', () => {
  const failed = [...report.errors].filter(([check, error]) => error !== '' && !(check in refused));
  expect(failed.map(([check, error]) => `${check}: ${error}`)).toEqual([]);
  expect(report.planned.length).toBeGreaterThanOrEqual(45);
  expect([...report.errors.keys()].sort()).toEqual([...report.planned].sort());
});

it.each(Object.entries(refused))('it is refused that %s', (check, message) => {
  expect(report.errors.get(check)).toMatch(message);
});

it('nobody connected to the API server of the hub', () => {
  expect(connections()).toBe(0);
});
