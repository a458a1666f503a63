import { type ClusterManagerSpec, ClusterProxyApi, clusterManagers, NamespaceName } from '@flotilla/api-types';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import {
  apiServices,
  clusterRoles,
  customResourceDefinitions,
  deployments,
  namespaces,
  secrets,
  serviceAccounts,
  services,
  validatingWebhookConfigurations,
} from '@flotilla/kube/kinds';
import { listAllObjects } from '@flotilla/kube/testing/internal';
import type { ResourceType } from '@flotilla/schema';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HubFixture, patience, startHubFixture } from './fixtures/hub-fixture.ts';

const name = 'hub1';
const key = `${name}/external-hub-kubeconfig`;
const spec: ClusterManagerSpec = {
  deployOption: {
    mode: 'Hosted',
    hosted: {
      registrationWebhookConfiguration: { address: '127.0.0.1', port: 9443 },
      workWebhookConfiguration: { address: 'work.example.com', port: 9443 },
    },
  },
};

let fixture: HubFixture;
let hub: ControlPlane;
const until = <T>(look: () => Promise<T> | T) => expect.poll(look, patience);
const namesOf = async ({ client }: ControlPlane, type: ResourceType, namespace?: string): Promise<string[]> =>
  (await client.resource(type).list(namespace ? { namespace } : {})).items.map(({ metadata }) => metadata?.name ?? '');
const isApplied = () => until(() => fixture.condition('Applied', name)).toBe('True ClusterManagerApplied');

beforeEach(async () => {
  hub = await startControlPlane();
  fixture = await startHubFixture();
});
afterEach(async () => {
  await fixture[Symbol.asyncDispose]();
  await hub.stop();
});

async function connect(): Promise<void> {
  const management = fixture.plane.client;
  if (!(await management.resource(namespaces).find(name)))
    await management.resource(namespaces).create({ metadata: { name } });
  const data = { kubeconfig: Buffer.from(hub.kubeconfig).toString('base64') };
  await management.resource(secrets).create({ metadata: { namespace: name, name: 'external-hub-kubeconfig' }, data });
}

describe('a hosted hub', () => {
  it('[cli C29] has its rights on the hub, and its programs and their kubeconfigs on the management cluster', async () => {
    await connect();
    await fixture.apply(spec, { name });
    await isApplied();
    expect(await namesOf(fixture.plane, deployments, name)).toContain('hub1-registration-controller');
    expect(await namesOf(hub, deployments)).toEqual([]);
    expect(await namesOf(hub, serviceAccounts, name)).toContain('registration-controller-sa');
    expect(await namesOf(hub, services, name)).toContain('cluster-manager-registration-webhook');
    expect(await namesOf(hub, clusterRoles)).toContain('open-cluster-management:hub1-registration:controller');
    expect(await namesOf(hub, validatingWebhookConfigurations)).toHaveLength(5);
    expect((await namesOf(hub, customResourceDefinitions)).length).toBe(12);
    expect(await namesOf(fixture.plane, secrets, name)).toEqual(
      expect.arrayContaining([
        'placement-controller-sa-kubeconfig',
        'registration-controller-sa-kubeconfig',
        'registration-webhook-sa-kubeconfig',
        'work-webhook-sa-kubeconfig',
        'addon-manager-controller-sa-kubeconfig',
      ]),
    );
    const related = (await fixture.manager(name))?.status?.relatedResources ?? [];
    // That of its programs on both clusters, and that of join tokens on the hub.
    expect(related.filter(({ resource }) => resource === 'namespaces')).toHaveLength(3);
  });

  it('gives programs a token of their account on the hub, and another one when the account is made anew', async () => {
    await connect();
    await fixture.apply(spec, { name });
    await isApplied();
    const secret = async () =>
      (await fixture.plane.client.resource(secrets).get(`${name}/work-webhook-sa-kubeconfig`)).data;
    const uid = async () => Buffer.from((await secret())?.serviceaccount_uid ?? '', 'base64').toString();
    const kubeconfig = Buffer.from((await secret())?.kubeconfig ?? '', 'base64').toString();
    expect(kubeconfig).toContain('tokenFile: token');
    expect(kubeconfig).toContain(hub.server);
    const before = await uid();
    await hub.client.resource(serviceAccounts).delete(`${name}/work-webhook-sa`);
    await until(uid).not.toBe(before);
    await until(uid).toBe((await hub.client.resource(serviceAccounts).get(`${name}/work-webhook-sa`)).metadata?.uid);
  });

  it('waits for its kubeconfig, and says which Secret it is', async () => {
    await fixture.apply(spec, { name });
    await until(() => fixture.condition('Applied', name)).toBe('False HubConnectionFailed');
    expect(await fixture.message('Applied', name)).toContain(`Secret ${key} does not exist. Create it`);
    await connect();
    await isApplied();
  });

  it('has a cluster proxy at the address that it is given, and push agents', async () => {
    await connect();
    const featureGates = ['ClusterProxy', 'PushAgents'].map((feature) => ({ feature, mode: 'Enable' as const }));
    await fixture.apply({ ...spec, serverConfiguration: { featureGates } }, { name });
    await until(() => fixture.condition('Applied', name)).toBe('False InvalidConfiguration');
    expect(await fixture.message('Applied', name)).toContain('usage: cluster-proxy');
    const https = { type: 'hostname' as const, hostname: { host: 'proxy.example.com:8443' } };
    const endpointsExposure = [{ protocol: 'https' as const, usage: 'cluster-proxy', https }];
    await fixture.apply({ ...spec, serverConfiguration: { featureGates, endpointsExposure } }, { name });
    await isApplied();
    const apis = hub.client.resource(apiServices);
    await until(() => apis.find(ClusterProxyApi.apiService)).toBeDefined();
    const reached = { namespace: name, name: ClusterProxyApi.service, port: 8443 };
    expect((await apis.get(ClusterProxyApi.apiService)).spec?.service).toEqual(reached);
    expect((await hub.client.resource(services).get(`${name}/${ClusterProxyApi.service}`)).spec).toMatchObject({
      type: 'ExternalName',
      externalName: 'proxy.example.com',
    });
    expect(await fixture.plane.client.resource(apiServices).find(ClusterProxyApi.apiService)).toBeUndefined();
    // Add-ons of pushed clusters grant their tokens to the account of this namespace.
    const pushed = (await fixture.plane.client.resource(secrets).get(`${name}/push-agents-sa-kubeconfig`)).data ?? {};
    expect(Buffer.from(pushed.serviceaccount_namespace ?? '', 'base64').toString()).toBe(NamespaceName.Hub);
    expect(await namesOf(hub, serviceAccounts, NamespaceName.Hub)).toContain('push-agents-sa');
    await fixture.apply(spec, { name });
    await until(() => apis.find(ClusterProxyApi.apiService)).toBeUndefined();
    await until(() => namesOf(fixture.plane, secrets, name)).not.toContain('push-agents-sa-kubeconfig');
  });

  it('leaves nothing on either cluster when it is deleted, not its webhooks either', async () => {
    await connect();
    const before = { hub: await listAllObjects(hub.client), management: await listAllObjects(fixture.plane.client) };
    await fixture.apply(spec, { name });
    await isApplied();
    await fixture.plane.client.resource(clusterManagers).delete(name);
    await until(() => fixture.manager(name)).toBeUndefined();
    await until(() => listAllObjects(hub.client)).toEqual(before.hub);
    // With its namespace goes the kubeconfig that the user put there.
    const left = before.management.filter((line) => !line.includes(name));
    await until(() => listAllObjects(fixture.plane.client)).toEqual(left);
  });
});
