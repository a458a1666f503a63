import { managedClusterAddOns } from '@flotilla/api-types';
import { createKubeClient, isConditionTrue, staticAccess } from '@flotilla/kube';
import { namespaces, selfSubjectReviews, serviceAccounts } from '@flotilla/kube/kinds';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { serverKinds, startServer } from '../registration/servers.ts';
import { mountSecret } from './addon-secret.ts';
import { type GrpcFleet, startGrpcFleet } from './grpc-fleet.ts';

const cluster = 'tokens';
const namespace = 'open-cluster-management-agent-addon';

describe.each(serverKinds)('tokens of add-ons of a cluster that has the gRPC address only, on %s', (kind) => {
  let fleet: GrpcFleet;
  beforeAll(async () => {
    fleet = await startGrpcFleet(await startServer(kind));
    fleet.startGrpcHub();
    await fleet.startGrpcServer();
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(fleet.logs());
  });
  afterAll(() => fleet?.[Symbol.asyncDispose]());

  it('are requested over that connection, and again when the service account is another one', async () => {
    const { hub, admin } = fleet;
    const managed = await fleet.newGrpcCluster();
    managed.startGrpcAgent(cluster, { flags: ['--addon-kubeclient-registration-auth=token'] });
    await admin.admit(cluster);
    await admin.joined(cluster);
    const spoke = managed.server.client;
    await spoke.resource(namespaces).create({ metadata: { name: namespace } });
    const addons = hub.client.resource(managedClusterAddOns);
    await addons.create({ metadata: { namespace: cluster, name: 'work' }, spec: {} });
    const registrations = [{ type: 'kubeClient' as const, kubeClient: {} }];
    await addons.status.patch(`${cluster}/work`, { type: 'merge', body: { status: { registrations } } });
    await using mounted = await mountSecret(spoke, `${namespace}/work-hub-kubeconfig`);
    expect(Object.keys(mounted.data).sort()).toEqual(['cluster-name', 'kubeconfig', 'token']);
    const { server, ca } = hub.access;
    const access = staticAccess({ server, ca, authorization: `Bearer ${mounted.data.token}`, origin: 'the add-on' });
    const client = createKubeClient({ access });
    const { status } = await client.resource(selfSubjectReviews).create({});
    await client.close();
    expect(status?.userInfo?.username).toBe(`system:serviceaccount:${cluster}:work-agent`);
    const refreshed = await admin.seen.until(managedClusterAddOns, 'TokenRefreshed', (addon) =>
      isConditionTrue(addon.status?.conditions, 'TokenRefreshed'),
    );
    const { kubeClient } = refreshed.status?.registrations?.[0] ?? {};
    expect(kubeClient).toEqual({ driver: 'token', subject: { user: `system:serviceaccount:${cluster}:work-agent` } });
    await hub.client.resource(serviceAccounts).delete(`${cluster}/work-agent`);
    const token = async () => {
      await using again = await mountSecret(spoke, `${namespace}/work-hub-kubeconfig`);
      return again.data.token;
    };
    await expect.poll(token, { timeout: 60_000, interval: 100 }).not.toBe(mounted.data.token);
  });
});
