import { clusterManagementAddOns, managedClusterAddOns } from '@flotilla/api-types';
import { configMaps, deployments, jobs, roleBindings, secrets } from '@flotilla/kube/kinds';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { serverKinds } from '../registration/servers.ts';
import {
  addOn,
  addonClient,
  agentRuns,
  byPlacement,
  cleanupRuns,
  installNamespace,
  type ManagedCluster,
  startTemplateWorld,
  type TemplateWorld,
} from './template-world.ts';

const binding = 'open-cluster-management:hello:clusterrole:agent';
const enable = ({ hub }: TemplateWorld, namespace: string) =>
  hub.resource(managedClusterAddOns).create({ metadata: { namespace, name: addOn }, spec: {} });

describe.each(serverKinds)('a template add-on on %s', (kind) => {
  let world: TemplateWorld;
  let first: ManagedCluster;
  let second: ManagedCluster;
  let isWrong = false;
  beforeAll(async () => {
    world = await startTemplateWorld(kind);
    [first, second] = await Promise.all([
      world.join('first'),
      world.join('second', ['--addon-kubeclient-registration-auth=token', '--addon-token-expiration-seconds=3600']),
    ]);
    await world.offer();
  });
  afterEach(({ task }) => {
    isWrong ||= task.result?.state === 'fail';
  });
  afterAll(async () => {
    if (isWrong) console.error(world?.fleet.logs());
    await world?.[Symbol.asyncDispose]();
  });

  it('is enabled on one cluster: its agent is deployed, gets access to the hub and is available', async () => {
    await enable(world, 'first');
    const { metadata, spec } = await agentRuns(first, 'first');
    expect(metadata?.namespace).toBe(installNamespace);
    const [container] = spec?.template.spec?.containers ?? [];
    expect(container?.env).toEqual([
      { name: 'HUB_KUBECONFIG', value: '/managed/hub-kubeconfig/kubeconfig' },
      { name: 'CLUSTER_NAME', value: 'first' },
      { name: 'INSTALL_NAMESPACE', value: installNamespace },
    ]);
    await using agent = await addonClient(first);
    expect(agent.files).toEqual(['cluster-name', 'kubeconfig', 'tls.crt', 'tls.key']);
    await world.condition('first', 'RegistrationApplied', 'True');
    expect((await agent.client.resource(configMaps).list({ namespace: 'first' })).items.length).toBeGreaterThan(0);
    await expect(agent.client.resource(configMaps).list({ namespace: 'second' })).rejects.toThrow('403');
    await world.condition('first', 'Available', 'True');
    await world.condition('first', 'Progressing', 'False');
    expect(await first.client.resource(jobs).find(`${installNamespace}/cleanup`)).toBeUndefined();
  });

  it('[addons 117, 119] is installed by a placement, on a cluster whose add-ons register by token', async () => {
    const offers = world.hub.resource(clusterManagementAddOns);
    await offers.patch(addOn, { type: 'merge', body: { spec: { installStrategy: byPlacement } } });
    await agentRuns(second, 'first');
    await using agent = await addonClient(second);
    expect(agent.files).toEqual(['cluster-name', 'kubeconfig', 'token']);
    await world.condition('second', 'TokenInfrastructureReady', 'True');
    await world.condition('second', 'TokenRefreshed', 'True');
    await world.condition('second', 'RegistrationApplied', 'True');
    const { subjects } = await world.hub.resource(roleBindings).get(`second/${binding}`);
    expect(subjects).toEqual([
      { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'system:serviceaccount:second:hello-agent' },
    ]);
    expect((await agent.client.resource(configMaps).list({ namespace: 'second' })).items.length).toBeGreaterThan(0);
    await world.condition('second', 'Available', 'True');
  });

  it('follows its configuration', async () => {
    await world.configure('say "hello"');
    await Promise.all([first, second].map((cluster) => agentRuns(cluster, 'say "hello"')));
    await world.onHub.until(clusterManagementAddOns, 'the rollout', ({ status }) =>
      Boolean(
        status?.installProgressions?.[0]?.conditions?.some(({ message }) =>
          message.startsWith('selected clusters 2. configured addons 2/2 completed'),
        ),
      ),
    );
  });

  it('[addons 89, 134] is removed with what offers it, after its hook has run on each cluster', async () => {
    await world.hub.resource(clusterManagementAddOns).delete(addOn, { propagationPolicy: 'Background' });
    await world.condition('first', 'HookManifestCompleted', 'False');
    // The agent still has its deployment and its credentials while its traces are removed.
    expect(await first.client.resource(deployments).find(`${installNamespace}/agent`)).toBeDefined();
    expect(await first.client.resource(secrets).find(`${installNamespace}/hello-hub-kubeconfig`)).toBeDefined();
    await Promise.all([first, second].map(cleanupRuns));
    for (const { name, seen } of [first, second]) {
      await world.onHub.gone(managedClusterAddOns, `${name}/${addOn}`);
      await seen.gone(deployments, `${installNamespace}/agent`);
      await seen.gone(jobs, `${installNamespace}/cleanup`);
      await seen.gone(secrets, `${installNamespace}/hello-hub-kubeconfig`);
      await world.onHub.gone(roleBindings, `${name}/${binding}`);
    }
    await world.onHub.gone(clusterManagementAddOns, addOn);
  });
});
