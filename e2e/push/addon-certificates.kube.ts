import { X509Certificate } from 'node:crypto';
import {
  addOnTemplates,
  clusterManagementAddOns,
  Label,
  managedClusterAddOns,
  managedClusters,
} from '@flotilla/api-types';
import { createKubeClient, type KubeClient, kubeconfigAccess, realClock, secretAccess } from '@flotilla/kube';
import { certificateSigningRequests, roleBindings, roles, secrets } from '@flotilla/kube/kinds';
import { createAuthority } from '@flotilla/kube/pki';
import { createCertificateRequest, createKey } from '@flotilla/registration-core/certificates';
import { of } from 'rxjs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { BareServer } from '../cli/bare-server.ts';
import { kubeconfigOf, serverKinds } from '../registration/servers.ts';
import { type PushWorld, pollOptions, startPushWorld } from './push-world.ts';

const addonNamespace = 'open-cluster-management-agent-addon';
const kubeSigner = 'kubernetes.io/kube-apiserver-client';
const ownSigner = 'example.com/hello';
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'hello-agent', namespace: addonNamespace },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: 'hello' } },
    template: {
      metadata: { labels: { app: 'hello' } },
      spec: { containers: [{ name: 'agent', image: 'example.com/hello' }] },
    },
  },
};

/** Lets the add-on manager read the authority of the add-on. */
async function allowReading(client: KubeClient, secret: string): Promise<void> {
  const metadata = { namespace: 'open-cluster-management-hub', name: secret };
  const rules = [{ apiGroups: [''], resources: ['secrets'], resourceNames: [secret], verbs: ['get'] }];
  await client.resource(roles).create({ metadata, rules });
  await client.resource(roleBindings).create({
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: secret },
    subjects: [{ kind: 'ServiceAccount', namespace: metadata.namespace, name: 'registration-controller-sa' }],
  });
}

const userOf = (cluster: string) => `system:open-cluster-management:cluster:${cluster}:addon:hello:agent:hello-agent`;
const groupsOf = (cluster: string) => [
  `system:open-cluster-management:cluster:${cluster}:addon:hello`,
  'system:open-cluster-management:addon:hello',
];

describe.each(serverKinds)('certificates for add-ons of a pushed cluster, on %s', { timeout: 180_000 }, (kind) => {
  let world: PushWorld;
  let member: BareServer;
  let pushAgents: KubeClient;
  beforeAll(async () => {
    world = await startPushWorld(kind);
    member = await world.startMember('pushed');
    world.startPushAgents(['--addon-kubeclient-registration-auth=csr']);
    const joined = await world.flotilla(`join pushed --push --cluster-kubeconfig ${member.kubeconfig}`);
    expect(joined, joined.err).toMatchObject({ code: 0 });
    const files = await kubeconfigOf(world.hub, 'open-cluster-management-hub/push-agents-sa', world.directory);
    pushAgents = createKubeClient({ access: kubeconfigAccess({ files, clock: realClock }) });
    const { client } = world.hub;
    const authority = await createAuthority('hello', realClock);
    await client.resource(secrets).create({
      metadata: { namespace: 'open-cluster-management-hub', name: 'hello-ca' },
      type: 'kubernetes.io/tls',
      data: { 'tls.crt': btoa(authority.certificate), 'tls.key': btoa(authority.key) },
    });
    await allowReading(client, 'hello-ca');
    await client.resource(addOnTemplates).create({
      metadata: { name: 'hello' },
      spec: {
        addonName: 'hello',
        agentSpec: { workload: { manifests: [deployment] } },
        registration: [
          { type: 'KubeClient' },
          { type: 'CustomSigner', customSigner: { signerName: ownSigner, signingCA: { name: 'hello-ca' } } },
        ],
      },
    });
    await client.resource(clusterManagementAddOns).create({
      metadata: { name: 'hello' },
      spec: {
        defaultConfigs: [{ group: 'addon.open-cluster-management.io', resource: 'addontemplates', name: 'hello' }],
      },
    });
    // A cluster with an agent of its own, which has the add-on, too.
    await client.resource(managedClusters).create({ metadata: { name: 'pulled' }, spec: { hubAcceptsClient: true } });
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(world.logs());
  });
  afterAll(async () => {
    await pushAgents?.close();
    await world?.[Symbol.asyncDispose]();
  });

  const certificateIn = async (secret: string) => {
    const found = await member.client.resource(secrets).find(`${addonNamespace}/${secret}`);
    const pem = found?.data?.['tls.crt'];
    return pem === undefined ? undefined : new X509Certificate(Buffer.from(pem, 'base64')).subject;
  };

  it('are issued by the hub: the agent of the add-on is itself there', async () => {
    await world.whenAvailable('pushed');
    const addons = world.hub.client.resource(managedClusterAddOns);
    for (const namespace of ['pushed', 'pulled']) {
      const create = () => addons.create({ metadata: { namespace, name: 'hello' }, spec: {} });
      // The hub makes the namespace when it sees the cluster.
      await expect.poll(() => create().then(() => 'created', String), pollOptions).toBe('created');
    }
    await expect.poll(() => certificateIn('hello-hub-kubeconfig'), pollOptions).toContain(`CN=${userOf('pushed')}`);
    const { data } = await member.client.resource(secrets).get(`${addonNamespace}/hello-hub-kubeconfig`);
    await using addon = createKubeClient({ access: secretAccess({ data: of(data), origin: 'the add-on' }) });
    // It has no role, and the refusal says as whom it asks.
    await expect(addon.resource(managedClusterAddOns).get('pushed/hello')).rejects.toThrow(userOf('pushed'));
    const { status } = await world.hub.client.resource(managedClusterAddOns).get('pushed/hello');
    expect(status?.registrations?.find(({ type }) => type === 'kubeClient')?.kubeClient?.driver).toBe('csr');
  });

  it('are issued by the signer of the add-on', async () => {
    await expect
      .poll(() => certificateIn('hello-example.com-hello-client-cert'), pollOptions)
      .toContain('CN=system:open-cluster-management:cluster:pushed:addon:hello');
  });

  /** Asks for a certificate with the rights of push-agents. */
  const ask = async (cluster: string, names: { user?: string; groups?: string[]; signerName?: string }) => {
    const { user = userOf(cluster), groups = groupsOf(cluster), signerName = kubeSigner } = names;
    const dnsNames = ['hello.addon.open-cluster-management.io'];
    const pem = await createCertificateRequest(createKey(), { user, groups, organizationUnits: [], dnsNames });
    const { metadata } = await pushAgents.resource(certificateSigningRequests).create({
      metadata: {
        generateName: `addon-${cluster}-hello-`,
        labels: { [Label.ClusterName]: cluster, [Label.AddOnName]: 'hello' },
      },
      spec: {
        request: Buffer.from(pem).toString('base64'),
        signerName,
        usages: ['digital signature', 'key encipherment', 'client auth'],
      },
    });
    return metadata?.name ?? '';
  };
  const conditionsOf = async (name: string) =>
    (await world.hub.client.resource(certificateSigningRequests).get(name)).status?.conditions?.map(({ type }) => type);

  it('are never for another cluster, nor for its agent, whatever is asked for with the rights of push-agents', async () => {
    const refused = [
      await ask('pulled', {}),
      await ask('pulled', { signerName: ownSigner, groups: [] }),
      await ask('pushed', { user: userOf('pulled') }),
      await ask('pushed', { groups: groupsOf('pulled') }),
      await ask('pushed', { user: 'system:open-cluster-management:pushed:agent' }),
      await ask('pushed', { groups: [...groupsOf('pushed'), 'admins'] }),
      await ask('pushed', { signerName: ownSigner, groups: ['admins'] }),
    ];
    const approved = await ask('pushed', {});
    await expect.poll(() => conditionsOf(approved), pollOptions).toEqual(['Approved']);
    for (const name of refused) expect([name, await conditionsOf(name)]).toEqual([name, undefined]);
  });
});
