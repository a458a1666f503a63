import { managedClusters } from '@flotilla/api-types';
import { grpcDriver } from '@flotilla/driver-grpc';
import { joinTokenClusterRole, joinTokenGroups, joinTokenObjects } from '@flotilla/install';
import {
  certificateSigningRequests,
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  secrets,
} from '@flotilla/kube/kinds';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type GrpcCluster, type GrpcFleet, startGrpcFleet } from '../grpc/grpc-fleet.ts';
import { type Server, serverKinds, startServer } from '../registration/servers.ts';

const pollOptions = { timeout: 60_000, interval: 200 };
const id = 'grpcto';
const secret = '0123456789abcdef';
const own = 'by-token';

describe.each(serverKinds)('on %s, a join token for one cluster, over gRPC', (kind) => {
  let fleet: GrpcFleet;
  let managed: Server;
  let cluster: GrpcCluster;
  beforeAll(async () => {
    [fleet, managed] = await Promise.all([startServer(kind).then(startGrpcFleet), startServer('embedded')]);
    fleet.startGrpcHub();
    await fleet.startGrpcServer();
    cluster = await fleet.newGrpcCluster(managed);
    const { client } = fleet.hub;
    const restriction = { id, clusterName: own, maxUses: 1 };
    const token = { id, secret, usages: ['authentication'] as const, groups: joinTokenGroups(restriction) };
    const role = await client.resource(clusterRoles).create(joinTokenClusterRole([grpcDriver], restriction));
    const [binding, record, stored] = joinTokenObjects(role, restriction, token);
    await client.resource(clusterRoleBindings).create(binding);
    await client.resource(configMaps).create(record);
    await client.resource(secrets).create(stored);
    await cluster.setConfig({ token: `${id}.${secret}` });
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(fleet.logs());
  });
  afterAll(async () => {
    await fleet?.[Symbol.asyncDispose]();
    await managed?.[Symbol.asyncDispose]();
  });

  it('registers no other cluster: neither a ManagedCluster nor a request for a certificate is made', async () => {
    const agent = cluster.startGrpcAgent('other');
    await agent.said('system:bootstrap:grpcto acts for cluster other');
    await agent.end();
    expect(await fleet.hub.client.resource(managedClusters).find('other')).toBeUndefined();
    expect((await fleet.hub.client.resource(certificateSigningRequests).list()).items).toEqual([]);
    await cluster.forgetIdentity();
  });

  it('registers its own, is accepted by an administrator as any other, and is gone when it was used', async () => {
    cluster.startGrpcAgent(own, { app: 'singleton' });
    const request = await fleet.admin.asked(own);
    expect(request.metadata?.annotations?.['open-cluster-management.io/csr-groups']).toContain(
      'system:bootstrappers:managedcluster:by-token',
    );
    await fleet.admin.admit(own);
    await fleet.admin.joined(own);
    await expect
      .poll(() => fleet.hub.client.resource(secrets).find(`kube-system/bootstrap-token-${id}`), pollOptions)
      .toBeUndefined();
  });
});
