import { X509Certificate } from 'node:crypto';
import { type ManagedClusterAddOn, managedClusterAddOns, managedClusterAddOnsV1alpha1 } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import { findCondition } from '@flotilla/kube';
import { certificateSigningRequests, leases, namespaces, secrets } from '@flotilla/kube/kinds';
import { formatMicroTime } from '@flotilla/kube/meta';
import type { FakeClock } from '@flotilla/kube/testing';
import { certificateUser, startTestFleet, type TestFleet } from '@flotilla/registration-core/testing';
import { describe, expect, it } from 'vitest';
import { serveConversion } from './fixtures/conversion.ts';
import { convertingFleet, csrFleet, joined, olderFleet } from './fixtures/fleet.ts';
import { decideAll } from './fixtures/hub.ts';

const startCsrFleet = () => startTestFleet({ ...csrFleet, authenticate: certificateUser });
const installNamespace = 'open-cluster-management-agent-addon';
const addons = (fleet: TestFleet) => fleet.hub.client.resource(managedClusterAddOns);
const register = async (
  fleet: TestFleet,
  registrations: NonNullable<ManagedClusterAddOn['status']>['registrations'],
) => {
  await addons(fleet).status.patch('c1/work', { type: 'merge', body: { status: { registrations } } });
};
const secretOf = (fleet: TestFleet, name: string) =>
  fleet.spoke.client.resource(secrets).find(`${installNamespace}/${name}`);
const approve = (fleet: TestFleet) => decideAll(fleet.hub.client, 'Approved', fleet.clock.now());
const addonRequests = async (fleet: TestFleet) =>
  (await fleet.hub.client.resource(certificateSigningRequests).list()).items.filter(({ metadata }) =>
    metadata?.name?.startsWith('addon-'),
  );

describe('an add-on of a cluster that registers by certificate requests', () => {
  it('[registration-agent 19.9-85, 19.9-88] gets a kubeconfig when its namespace exists, by one request, and loses it with the add-on', async () => {
    await using fleet = await startCsrFleet();
    await joined(fleet);
    await addons(fleet).create({ metadata: { name: 'work', namespace: 'c1' }, spec: {} });
    await register(fleet, [{ type: 'kubeClient', kubeClient: {} }]);
    await fleet.eventually(async () => expect(await addonRequests(fleet)).toHaveLength(1));
    await approve(fleet);
    await fleet.pass(10 * 60_000);
    await fleet.spoke.client.resource(namespaces).create({ metadata: { name: installNamespace } });
    const createdAt = fleet.clock.now();
    const secret = await fleet.eventually(async () => {
      const found = await secretOf(fleet, 'work-hub-kubeconfig');
      expect(Object.keys(found?.data ?? {}).sort()).toEqual(['cluster-name', 'kubeconfig', 'tls.crt', 'tls.key']);
      return found;
    }, 100);
    // It is waited for, and not tried at intervals.
    expect(fleet.clock.now() - createdAt).toBeLessThan(1000);
    expect(await addonRequests(fleet)).toHaveLength(1);
    const certificate = new X509Certificate(Buffer.from(secret?.data?.['tls.crt'] ?? '', 'base64'));
    expect(certificate.subject).toContain('CN=system:open-cluster-management:cluster:c1:addon:work:agent:work');
    await fleet.eventually(async () => {
      const { status } = await addons(fleet).get('c1/work');
      expect(status?.registrations?.[0]?.kubeClient?.driver).toBe('csr');
      expect(findCondition(status?.conditions, 'ClusterCertificateRotated')?.status).toBe('True');
    });
    await addons(fleet).delete('c1/work');
    await fleet.eventually(async () => expect(await secretOf(fleet, 'work-hub-kubeconfig')).toBeUndefined());
  });

  it.each(['in both versions', 'in v1alpha1 only'])(
    '[registration-agent 19.9-90] is served as well when it is written in v1alpha1, on a hub that serves it %s',
    async (versions) => {
      await using webhook = await serveConversion();
      const settings = versions === 'in v1alpha1 only' ? olderFleet : convertingFleet(webhook.client);
      await using fleet = await startTestFleet({ ...settings, authenticate: certificateUser });
      await joined(fleet);
      await fleet.spoke.client.resource(namespaces).create({ metadata: { name: installNamespace } });
      const old = fleet.hub.client.resource(managedClusterAddOnsV1alpha1);
      await old.create({ metadata: { name: 'work', namespace: 'c1' }, spec: {} });
      const registrations = [
        { signerName: 'kubernetes.io/kube-apiserver-client' },
        { signerName: 'example.com/signer1' },
      ];
      await old.status.patch('c1/work', { type: 'merge', body: { status: { registrations } } });
      await fleet.eventually(async () => {
        await approve(fleet);
        expect(await secretOf(fleet, 'work-hub-kubeconfig')).toBeDefined();
        const signers = (await addonRequests(fleet)).map(({ spec }) => spec.signerName);
        expect(signers).toContain('example.com/signer1');
      });
      await fleet.eventually(async () => {
        const { status } = await old.get('c1/work');
        expect(status).toMatchObject({ registrations, kubeClientDriver: 'csr' });
        expect(findCondition(status?.conditions, 'ClusterCertificateRotated')?.status).toBe('True');
      });
      await old.delete('c1/work');
      await fleet.eventually(async () => expect(await secretOf(fleet, 'work-hub-kubeconfig')).toBeUndefined());
    },
  );

  it('waits on a hub that serves no add-ons, and is served when the hub does', async () => {
    const [definition] = customResourceDefinitions().filter(({ spec }) => spec.names.kind === 'ManagedClusterAddOn');
    const startPlane = (clock: FakeClock) =>
      startControlPlane({
        listen: false,
        clock,
        crds: customResourceDefinitions().filter(({ spec }) => spec.names.kind !== 'ManagedClusterAddOn'),
      });
    await using fleet = await startTestFleet({ ...csrFleet, startPlane, authenticate: certificateUser });
    const agent = await joined(fleet);
    await fleet.clock.advance(600_000);
    expect(agent.state.phase).toBe('running');
    const definitions = await fleet.hub.client.dynamic({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
    });
    await definitions.create({ ...definition });
    await fleet.spoke.client.resource(namespaces).create({ metadata: { name: installNamespace } });
    await fleet.eventually(() => addons(fleet).create({ metadata: { name: 'work', namespace: 'c1' }, spec: {} }));
    await register(fleet, [{ type: 'kubeClient', kubeClient: {} }]);
    await fleet.clock.advance(300_000);
    await fleet.eventually(async () => {
      await approve(fleet);
      expect(await secretOf(fleet, 'work-hub-kubeconfig')).toBeDefined();
    });
  });

  it('[registration-agent 19.9-87] exchanges its secret when it registers by another signer', async () => {
    await using fleet = await startCsrFleet();
    await joined(fleet);
    await fleet.spoke.client.resource(namespaces).create({ metadata: { name: installNamespace } });
    await addons(fleet).create({ metadata: { name: 'work', namespace: 'c1' }, spec: {} });
    await register(fleet, [{ type: 'kubeClient', kubeClient: {} }]);
    await fleet.eventually(async () => {
      await approve(fleet);
      expect(await secretOf(fleet, 'work-hub-kubeconfig')).toBeDefined();
    });
    const signerName = 'example.com/signer1';
    await register(fleet, [{ type: 'customSigner', customSigner: { signerName } }]);
    await fleet.eventually(async () => expect(await secretOf(fleet, 'work-hub-kubeconfig')).toBeUndefined());
    await fleet.eventually(async () => {
      const signers = (await addonRequests(fleet)).map(({ spec }) => spec.signerName);
      expect(signers).toContain(signerName);
    });
  });

  it('[registration-agent 19.9-89] gets another certificate before the first one ends', async () => {
    await using fleet = await startCsrFleet();
    await joined(fleet);
    await fleet.spoke.client.resource(namespaces).create({ metadata: { name: installNamespace } });
    await addons(fleet).create({ metadata: { name: 'work', namespace: 'c1' }, spec: {} });
    await register(fleet, [{ type: 'kubeClient', kubeClient: {} }]);
    const issued = async () => {
      await approve(fleet);
      const certificate = (await secretOf(fleet, 'work-hub-kubeconfig'))?.data?.['tls.crt'];
      if (!certificate) throw new Error('no certificate yet');
      return certificate;
    };
    const first = await fleet.eventually(issued);
    const { validToDate } = new X509Certificate(Buffer.from(first, 'base64'));
    await fleet.eventually(async () => expect(await issued()).not.toBe(first), 60_000);
    expect(fleet.clock.now()).toBeLessThan(validToDate.getTime());
  });

  it('[registration-agent 19.9-99] is available while its lease is fresh', async () => {
    await using fleet = await startCsrFleet();
    await joined(fleet);
    await fleet.spoke.client.resource(namespaces).create({ metadata: { name: installNamespace } });
    await addons(fleet).create({ metadata: { name: 'work', namespace: 'c1' }, spec: {} });
    const available = async (status: string) =>
      fleet.eventually(async () => {
        const conditions = (await addons(fleet).get('c1/work')).status?.conditions;
        expect(findCondition(conditions, 'Available')?.status).toBe(status);
      }, 5000);
    await available('Unknown');
    const spec = { renewTime: formatMicroTime(fleet.clock.now()) };
    await fleet.spoke.client.resource(leases).create({ metadata: { name: 'work', namespace: installNamespace }, spec });
    await available('True');
    await fleet.clock.advance(6 * 60_000);
    await available('False');
  });
});
