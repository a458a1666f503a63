import { type ManagedClusterAddOn, managedClusterAddOns } from '@flotilla/api-types';
import { createInformers, createKubeClient, runControllers, silentLogger } from '@flotilla/kube';
import { secrets } from '@flotilla/kube/kinds';
import { FakeClock } from '@flotilla/kube/testing';
import { FakeApi } from '@flotilla/kube/testing/internal';
import { describe, expect, it } from 'vitest';
import type { AddonRegistration } from '../../contract/index.ts';
import { hubKubeconfig } from '../../kube-hub/index.ts';
import type { AddonDriverChoice } from './driver-choice.ts';
import { addonRegistrationController } from './registration.controller.ts';

const user = { 'client-certificate': 'tls.crt', 'client-key': 'tls.key' };

/** Gives every registration a credential at once, with its number. */
const driversOf = (forked: AddonRegistration[], observed: string[] = []): AddonDriverChoice => ({
  auth: 'csr',
  statusAuth: 'csr',
  find: () => ({
    authType: 'csr',
    supports: () => true,
    create({ addon }, registration) {
      addon.changes.subscribe(() => observed.push(addon.current()?.metadata?.name ?? 'deleted'));
      const credential = `certificate ${forked.push(registration)}`;
      return {
        ...hubKubeconfig(user),
        evaluate: () => ({ usable: true }),
        start: () => async (stored) =>
          stored['tls.crt'] === credential
            ? { kind: 'unchanged' }
            : { kind: 'obtained', credentials: { 'tls.crt': credential, 'tls.key': 'k' } },
      };
    },
  }),
});

const hosting = { 'addon.open-cluster-management.io/hosting-cluster-name': 'host' };
const kubeClient = (user: string) => ({
  type: 'kubeClient' as const,
  kubeClient: { driver: 'csr' as const, subject: { user } },
});
const customSigner = { type: 'customSigner' as const, customSigner: { signerName: 'example.com/s' } };

async function start() {
  const clock = new FakeClock();
  const client = () => createKubeClient({ transport: new FakeApi(clock), clock });
  const [hub, management, spoke] = [client(), client(), client()];
  const forked: AddonRegistration[] = [];
  const observed: string[] = [];
  const end = new AbortController();
  const hubInformers = createInformers({ client: hub, clock });
  const addons = hub.resource(managedClusterAddOns);
  const controller = addonRegistrationController({
    identity: { clusterName: 'c1', agentName: 'a1' },
    addonDrivers: driversOf(forked, observed),
    driver: {},
    hub,
    informers: hubInformers,
    addons: hubInformers.resource(managedClusterAddOns),
    management,
    spoke,
    spokeInformers: createInformers({ client: spoke, clock }),
    endpoint: () => ({ name: 'hub', server: 'https://hub' }),
    clock,
    log: silentLogger,
    random: () => 0,
    signal: end.signal,
  });
  const running = runControllers([controller], { signal: end.signal, clock });
  const namesIn = async (cluster: typeof hub) =>
    (await cluster.resource(secrets).list()).items.map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`);
  return {
    clock,
    forked,
    observed,
    addons,
    async set(
      registrations: NonNullable<ManagedClusterAddOn['status']>['registrations'],
      { namespace, annotations = {} }: { namespace?: string; annotations?: Record<string, string> } = {},
    ) {
      const metadata = { name: 'work', namespace: 'c1' };
      const found = (await addons.find('c1/work')) ?? (await addons.create({ metadata, spec: {} }));
      const kept = await addons.replace({ ...found, metadata: { ...found.metadata, annotations } });
      const status = { ...(registrations && { registrations }), ...(namespace && { namespace }) };
      await addons.status.replace({ ...kept, status });
      await clock.advance(1000);
    },
    onSpoke: () => namesIn(spoke),
    onManagement: () => namesIn(management),
    certificate: async () =>
      Buffer.from(
        (await spoke.resource(secrets).get('open-cluster-management-agent-addon/work-hub-kubeconfig')).data?.[
          'tls.crt'
        ] ?? '',
        'base64',
      ).toString(),
    async [Symbol.asyncDispose]() {
      end.abort();
      await running;
      hubInformers.close();
    },
  };
}

const kubeconfigSecret = 'open-cluster-management-agent-addon/work-hub-kubeconfig';

describe('[registration-agent 19.9-97] [addons 120] the credentials of an add-on', () => {
  it('are not there while it asks for none', async () => {
    await using scene = await start();
    await scene.set([]);
    expect([await scene.onSpoke(), scene.forked]).toEqual([[], []]);
  });

  it('are got once when it asks, and not again while it asks for the same', async () => {
    await using scene = await start();
    await scene.set([kubeClient('u')]);
    expect(await scene.onSpoke()).toEqual([kubeconfigSecret]);
    await scene.set([kubeClient('u')], { annotations: { other: 'change' } });
    await scene.clock.advance(20 * 60_000);
    expect(scene.forked).toHaveLength(1);
  });

  it('are exchanged without a gap when their subject changes, because the Secret is the same', async () => {
    await using scene = await start();
    await scene.set([kubeClient('u')]);
    expect(await scene.certificate()).toBe('certificate 1');
    await scene.set([kubeClient('v')]);
    expect(await scene.certificate()).toBe('certificate 2');
  });

  it('go when another kind of registration takes their place', async () => {
    await using scene = await start();
    await scene.set([kubeClient('u')]);
    await scene.set([customSigner]);
    expect(await scene.onSpoke()).toEqual(['open-cluster-management-agent-addon/work-example.com-s-client-cert']);
  });

  it('move with the namespace of the add-on', async () => {
    await using scene = await start();
    await scene.set([kubeClient('u')]);
    await scene.set([kubeClient('u')], { namespace: 'elsewhere' });
    expect(await scene.onSpoke()).toEqual(['elsewhere/work-hub-kubeconfig']);
  });

  it('go with the add-on', async () => {
    await using scene = await start();
    await scene.set([kubeClient('u'), customSigner]);
    expect(await scene.onSpoke()).toHaveLength(2);
    await scene.addons.delete('c1/work');
    await scene.clock.advance(1000);
    expect(await scene.onSpoke()).toEqual([]);
  });

  it('are on the management cluster if the add-on is hosted there, and go from where they were when that changes', async () => {
    await using scene = await start();
    await scene.set([kubeClient('u')], { annotations: hosting });
    expect([await scene.onSpoke(), await scene.onManagement()]).toEqual([[], [kubeconfigSecret]]);
    await scene.set([kubeClient('u')]);
    expect([await scene.onSpoke(), await scene.onManagement()]).toEqual([[kubeconfigSecret], []]);
    await scene.set([kubeClient('u')], { annotations: hosting });
    expect([await scene.onSpoke(), await scene.onManagement()]).toEqual([[], [kubeconfigSecret]]);
    await scene.addons.delete('c1/work');
    await scene.clock.advance(1000);
    expect(await scene.onManagement()).toEqual([]);
  });

  it('[registration-agent 19.9-84] are renewed by a driver that observes their own add-on, and no other', async () => {
    await using scene = await start();
    await scene.set([kubeClient('u')]);
    scene.observed.length = 0;
    await scene.addons.create({ metadata: { name: 'other', namespace: 'c1' }, spec: {} });
    await scene.clock.advance(1000);
    expect(scene.observed).toEqual([]);
    await scene.set([kubeClient('u')], { annotations: { any: 'change' } });
    expect(new Set(scene.observed)).toEqual(new Set(['work']));
  });
});
