import { managedClusterAddOns } from '@flotilla/api-types';
import { type findCondition, isConditionTrue } from '@flotilla/kube';
import { configMaps, secrets } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addOn,
  addonClient,
  agentRuns,
  installNamespace,
  offerTemplate,
  prepareTeam,
} from '../addons/template-world.ts';
import { deploy, startServer } from '../registration/servers.ts';
import { watching } from '../registration/watching.ts';
import { type InteropFleet, startInteropFleet } from './interop-fleet.ts';

const namespace = '--namespace=open-cluster-management-hub';

describe.each(['our hub and OCM’s agent', 'OCM’s hub and our agent'])('an add-on with %s', (which) => {
  const isOurHub = which === 'our hub and OCM’s agent';
  let fleet: InteropFleet;
  beforeAll(async () => {
    fleet = await startInteropFleet();
    if (isOurHub) fleet.startHub();
    else {
      await fleet.startOcmHub();
      await fleet.startOcm('addon', fleet.hub, ['manager', namespace]);
    }
    await prepareTeam(fleet.hub.client);
  });
  afterAll(() => fleet?.[Symbol.asyncDispose]());

  it('is deployed, gets access to the hub, is available, and loses its credentials when it is removed', async () => {
    const { client } = fleet.hub;
    await using cleanup = new AsyncDisposableStack();
    const server = cleanup.use(await startServer('embedded'));
    const cluster = await fleet.newCluster(server);
    await deploy(server, 'singleton', ['work-payloads.yaml']);
    if (isOurHub) await fleet.startOcmAgent(cluster, 'edge', 'registration-operator');
    else cluster.startAgent('edge', { app: 'singleton' });
    await fleet.accept('edge');
    await offerTemplate(client);
    await client.resource(managedClusterAddOns).create({ metadata: { namespace: 'edge', name: addOn }, spec: {} });
    const managed = { client: server.client, seen: cleanup.use(watching(server.client)) };
    try {
      await agentRuns(managed, 'first');
      await using agent = await addonClient(managed);
      expect(agent.files).toEqual(['cluster-name', 'kubeconfig', 'tls.crt', 'tls.key']);
      const isRegistered = ({ status }: { status?: { conditions?: Parameters<typeof findCondition>[0] } }) =>
        isConditionTrue(status?.conditions, 'RegistrationApplied') &&
        isConditionTrue(status?.conditions, 'ClusterCertificateRotated');
      await fleet.admin.seen.until(managedClusterAddOns, 'the registration', isRegistered);
      expect((await agent.client.resource(configMaps).list({ namespace: 'edge' })).items.length).toBeGreaterThan(0);
      await expect(agent.client.resource(secrets).list({ namespace: 'edge' })).rejects.toThrow('403');
      await fleet.admin.seen.until(managedClusterAddOns, 'Available', ({ status }) =>
        isConditionTrue(status?.conditions, 'Available'),
      );
      // Its hook would need a kubelet; what is under test is what the agents do when the add-on is gone.
      const body = { metadata: { finalizers: null } };
      await client.resource(managedClusterAddOns).delete(`edge/${addOn}`);
      await client.resource(managedClusterAddOns).patch(`edge/${addOn}`, { type: 'merge', body });
      await managed.seen.gone(secrets, `${installNamespace}/hello-hub-kubeconfig`);
    } catch (error) {
      console.error(fleet.logs());
      throw error;
    }
  });
});
