import { type ClusterManagerSpec, clusterManagers, NamespaceName, SecretName } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import {
  clusterRoles,
  configMaps,
  customResourceDefinitions,
  deployments,
  mutatingWebhookConfigurations,
  nodes,
  secrets,
  serviceAccounts,
  services,
  validatingWebhookConfigurations,
} from '@flotilla/kube/kinds';
import type { ResourceType } from '@flotilla/schema';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HubFixture, patience, startHubFixture } from './fixtures/hub-fixture.ts';

const hubNamespace = NamespaceName.Hub;
const isApplied = 'True ClusterManagerApplied';
const on = (feature: string) => ({ feature, mode: 'Enable' as const });
const off = (feature: string) => ({ feature, mode: 'Disable' as const });

let fixture: HubFixture;
let client: KubeClient;
const until = <T>(look: () => Promise<T> | T) => expect.poll(look, patience);

const namesOf = async (type: ResourceType, namespace?: string): Promise<string[]> =>
  (await client.resource(type).list(namespace ? { namespace } : {})).items.map(({ metadata }) => metadata?.name ?? '');
const has = async (type: ResourceType, key: string) => (await client.resource(type).find(key)) !== undefined;
const webhooks = async () => [
  ...(await namesOf(mutatingWebhookConfigurations)),
  ...(await namesOf(validatingWebhookConfigurations)),
];

async function applied(spec: ClusterManagerSpec): Promise<void> {
  const { metadata } = await fixture.apply(spec);
  await until(async () => {
    const status = (await fixture.manager())?.status;
    const found = status?.conditions?.find(({ type }) => type === 'Applied');
    return (found?.observedGeneration ?? 0) >= (metadata.generation ?? 0) && found?.status === 'True';
  }).toBe(true);
}

describe('a ClusterManager', () => {
  beforeEach(async () => {
    fixture = await startHubFixture();
    client = fixture.plane.client;
  });
  afterEach(() => fixture[Symbol.asyncDispose]());

  it('[cli C01] becomes a hub: namespace, rights, services, certificates and all programs', async () => {
    await applied({});
    expect(await namesOf(services, hubNamespace)).toEqual(
      expect.arrayContaining([
        'cluster-manager-registration-webhook',
        'cluster-manager-work-webhook',
        'cluster-manager-addon-webhook',
      ]),
    );
    expect(await namesOf(secrets, hubNamespace)).toEqual(
      expect.arrayContaining([
        'signer-secret',
        'registration-webhook-serving-cert',
        'work-webhook-serving-cert',
        'addon-webhook-serving-cert',
      ]),
    );
    expect((await namesOf(deployments, hubNamespace)).length).toBe(6);
    expect((await namesOf(customResourceDefinitions)).length).toBe(13);
    expect((await webhooks()).length).toBe(6);
    await until(() => fixture.condition('Progressing')).toBe('False ClusterManagerUpToDate');
  });

  it('[cli C04] lists what it consists of, and follows its gates', async () => {
    const related = async () => (await fixture.manager())?.status?.relatedResources ?? [];
    await applied({});
    const before = await related();
    expect(new Set(before.map((one) => JSON.stringify(one))).size).toBe(before.length);
    // The account, its role in the cluster and in the namespace with their bindings, the Deployment and its protection.
    await applied({ workConfiguration: { featureGates: [on('ManifestWorkReplicaSet')] } });
    expect((await related()).length).toBe(before.length + 8);
    await applied({ addOnManagerConfiguration: { featureGates: [off('AddonManagement')] } });
    expect((await related()).length).toBe(before.length - 9);
    await applied({ registrationConfiguration: { featureGates: [on('ClusterProfile')] } });
    expect((await related()).length).toBe(before.length + 1);
  });

  it('[cli C05] loses the work controller with its gate, and gets it back', async () => {
    const role = 'open-cluster-management:cluster-manager-work:controller';
    const account = `${hubNamespace}/work-controller-sa`;
    const work = { featureGates: [on('ManifestWorkReplicaSet')] };
    const there = async () => [
      await has(clusterRoles, role),
      await has(serviceAccounts, account),
      (await fixture.deployment('work-controller')) !== undefined,
    ];
    await applied({ workConfiguration: work });
    expect(await there()).toEqual([true, true, true]);
    await applied({ workConfiguration: { featureGates: [] } });
    await until(there).toEqual([false, false, false]);
    await applied({ workConfiguration: work });
    expect(await there()).toEqual([true, true, true]);
  });

  it('[cli C07] keeps the webhook of add-ons without their manager', async () => {
    await applied({ addOnManagerConfiguration: { featureGates: [off('AddonManagement')] } });
    expect(await fixture.deployment('addon-manager-controller')).toBeUndefined();
    expect(await fixture.deployment('addon-webhook')).toBeDefined();
    await until(() => fixture.condition('HubAddOnManagerDegraded')).toBe('False AddOnManagerFunctional');
  });

  it('[cli C08] explains placements with its gate, and loses service and container without it', async () => {
    const containers = async () =>
      (await fixture.deployment('placement-controller'))?.spec?.template.spec?.containers.map(({ name }) => name);
    await applied({ placementConfiguration: { featureGates: [on('PlacementDebugServer')] } });
    expect(await containers()).toEqual(['placement-controller', 'debug-server']);
    expect(await has(services, `${hubNamespace}/cluster-manager-placement`)).toBe(true);
    await applied({});
    await until(() => has(services, `${hubNamespace}/cluster-manager-placement`)).toBe(false);
    await until(containers).toEqual(['placement-controller']);
  });

  it('[cli C12] copies the pull secret, also when it comes later, and removes the copy with it', async () => {
    const name = SecretName.ImagePullCredentials;
    await applied({});
    const source = { metadata: { namespace: NamespaceName.Operator, name }, data: { a: 'Yg==' } };
    await client.resource(secrets).create({ ...source, type: 'Opaque' });
    await until(() => has(secrets, `${hubNamespace}/${name}`)).toBe(true);
    await until(async () => (await fixture.deployment('work-webhook'))?.spec?.template.spec?.imagePullSecrets).toEqual([
      { name },
    ]);
    await client.resource(secrets).delete(`${NamespaceName.Operator}/${name}`);
    await until(() => has(secrets, `${hubNamespace}/${name}`)).toBe(false);
  });

  it('[cli C13] takes a new image', async () => {
    await applied({});
    await applied({ registrationImagePullSpec: 'example.com/hub:2' });
    const image = async () =>
      (await fixture.deployment('registration-controller'))?.spec?.template.spec?.containers[0]?.image;
    expect(await image()).toBe('example.com/hub:2');
    const { metadata, status } = (await fixture.manager()) ?? {};
    expect(status?.observedGeneration).toBe(metadata?.generation);
  });

  it('says which field is wrong, changes nothing until it is right, and goes on then', async () => {
    await applied({});
    await fixture.apply({
      workImagePullSpec: 'example.com/hub:2',
      serverConfiguration: {
        endpointsExposure: [{ protocol: 'grpc', grpc: { type: 'hostname', hostname: { host: 'http://x' } } }],
      },
    });
    await until(() => fixture.condition('Applied')).toBe('False InvalidConfiguration');
    expect(await fixture.message('Applied')).toContain('endpointsExposure[0].grpc.hostname.host "http://x"');
    const image = (await fixture.deployment('work-webhook'))?.spec?.template.spec?.containers[0]?.image;
    expect(image).toBe('flotilla/hub:test');
    await applied({ workImagePullSpec: 'example.com/hub:2' });
  });

  it('has a condition for gates that do not exist, and the rest is applied', async () => {
    await applied({ workConfiguration: { featureGates: [on('Foo'), on('NilExecutorValidating')] } });
    expect(await fixture.condition('ValidFeatureGates')).toBe('False InvalidFeatureGatesExisting');
    expect(await fixture.args('work-webhook')).toContain('--feature-gates=NilExecutorValidating=true');
  });

  it('waits if the cluster is a hub already, and can be deleted without harm to it', async () => {
    await applied({});
    await fixture.apply({}, { name: 'second' });
    await until(() => fixture.condition('Applied', 'second')).toBe('False InvalidConfiguration');
    await client.resource(clusterManagers).delete('second');
    await until(() => fixture.manager('second')).toBeUndefined();
    expect(await fixture.condition('Applied')).toBe(isApplied);
    expect(await has(customResourceDefinitions, 'managedclusters.cluster.open-cluster-management.io')).toBe(true);
  });

  it('follows the profile of TLS without an end of the process', async () => {
    await applied({});
    const metadata = { namespace: NamespaceName.Operator, name: 'ocm-tls-profile' };
    await client.resource(configMaps).create({ metadata, data: { minTLSVersion: 'VersionTLS13' } });
    await until(() => fixture.args('placement-controller')).toContain('--tls-min-version=VersionTLS13');
    await client.resource(configMaps).delete(`${metadata.namespace}/${metadata.name}`);
    await until(() => fixture.args('placement-controller')).toContain('--tls-min-version=VersionTLS12');
  });

  it('has three replicas once there are two control plane nodes, by the label of today', async () => {
    await applied({});
    for (const name of ['cp1', 'cp2']) {
      await client
        .resource(nodes)
        .create({ metadata: { name, labels: { 'node-role.kubernetes.io/control-plane': '' } } });
    }
    await until(async () => (await fixture.deployment('work-webhook'))?.spec?.replicas).toBe(3);
    await until(() => fixture.message('Progressing')).toContain('3 replicas: the cluster has 2 control plane nodes');
  });

  it('[grpc-cloudevents 26.7-65] gets the gRPC server with its driver and a certificate for its host, and loses both without it', async () => {
    const secret = `${hubNamespace}/${SecretName.GrpcServerServingCert}`;
    await applied({ registrationConfiguration: { registrationDrivers: [{ authType: 'grpc' }] } });
    expect(await fixture.deployment('grpc-server')).toBeDefined();
    expect(await has(secrets, secret)).toBe(true);
    await until(() => fixture.condition('HubGRPCServerDegraded')).toBe('False GRPCServerFunctional');
    await applied({ registrationConfiguration: { registrationDrivers: [{ authType: 'csr' }] } });
    await until(() => fixture.deployment('grpc-server')).toBeUndefined();
    await until(() => has(secrets, secret)).toBe(false);
    await until(() => fixture.condition('HubGRPCServerDegraded')).toBe('False GRPCServerDisabled');
  });
});
