import { X509Certificate } from 'node:crypto';
import { managedClusterAddOns } from '@flotilla/api-types';
import { realClock } from '@flotilla/kube';
import { certificateSigningRequests, namespaces, secrets, setApproval } from '@flotilla/kube/kinds';
import { bindDriver } from '@flotilla/registration-core/agent';
import { addonCertificates, certificateOptions } from '@flotilla/registration-core/certificates';
import { defineDriver } from '@flotilla/registration-core/contract';
import { describe, expect, it } from 'vitest';
import { type PushWorld, startPushWorld } from './fixtures/push-world.ts';

const poll = { timeout: 20_000, interval: 20 };
const signerName = 'kubernetes.io/kube-apiserver-client';
const certificates = bindDriver(
  defineDriver({
    authType: 'csr',
    options: { agent: certificateOptions, hub: {} },
    addon: addonCertificates({ authType: 'csr', signerName }),
  }),
  { clientCertExpirationSeconds: 0 },
);
const addonNamespace = 'open-cluster-management-agent-addon';

/** Enables an add-on with these registrations, as its manager does. */
async function enable({ hub }: PushWorld, cluster: string, registrations: readonly object[]): Promise<void> {
  const addons = hub.client.resource(managedClusterAddOns);
  await addons.create({ metadata: { namespace: cluster, name: 'hello' }, spec: {} });
  await addons.status.patch(`${cluster}/hello`, { type: 'merge', body: { status: { registrations } } });
}

const requestsOf = async ({ hub }: PushWorld, cluster: string) =>
  (
    await hub.client
      .resource(certificateSigningRequests)
      .list({ labelSelector: `open-cluster-management.io/cluster-name=${cluster}` })
  ).items;

describe('add-ons of pushed clusters', { timeout: 60_000 }, () => {
  it('get certificates of the hub and of other signers, each on its own cluster', async () => {
    await using world = await startPushWorld();
    const { hub, member } = world;
    world.start({ addonDrivers: [certificates], addonAuth: 'csr' });
    await member.client.resource(namespaces).create({ metadata: { name: addonNamespace } });
    await world.addCluster('c1');
    await world.giveAccess('c1');
    await world.accept('c1');
    await enable(world, 'c1', [
      { type: 'kubeClient', kubeClient: {} },
      { type: 'customSigner', customSigner: { signerName: 'example.com/hello' } },
    ]);
    const signers = async () => (await requestsOf(world, 'c1')).map(({ spec }) => spec.signerName).toSorted();
    await expect.poll(signers, poll).toEqual(['example.com/hello', signerName]);
    const found = (await requestsOf(world, 'c1')).find(({ spec }) => spec.signerName === signerName);
    if (!found) throw new Error('there is no request');
    await setApproval(hub.client, found, { type: 'Approved', reason: 'R', message: '' }, { now: realClock.now() });
    const stored = async () =>
      (await member.client.resource(secrets).find(`${addonNamespace}/hello-hub-kubeconfig`))?.data?.['tls.crt'];
    await expect.poll(stored, poll).toBeTypeOf('string');
    const { subject } = new X509Certificate(Buffer.from((await stored()) ?? '', 'base64'));
    expect(subject).toContain('CN=system:open-cluster-management:cluster:c1:addon:hello:agent:hello');
    const status = async () => (await hub.client.resource(managedClusterAddOns).get('c1/hello')).status;
    expect((await status())?.registrations?.[0]?.kubeClient?.driver).toBe('csr');
    await expect
      .poll(async () => (await status())?.conditions, poll)
      .toContainEqual(expect.objectContaining({ type: 'ClusterCertificateRotated', status: 'True' }));
  });
});
