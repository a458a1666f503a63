import { type ManagedClusterAddOn, managedClusterAddOns, managedClusters } from '@flotilla/api-types';
import { createInformers, createKubeClient, type KubeClient, runControllers, silentLogger } from '@flotilla/kube';
import { secrets } from '@flotilla/kube/kinds';
import { FakeClock } from '@flotilla/kube/testing';
import { FakeApi } from '@flotilla/kube/testing/internal';
import { describe, expect, it } from 'vitest';
import type { AddonRegistration } from '../../contract/index.ts';
import { hubKubeconfig } from '../../kube-hub/index.ts';
import type { AddonDriverChoice } from './driver-choice.ts';
import { addonRegistrationController } from './registration.controller.ts';
import { addonSweepController } from './sweep.controller.ts';

const user = { 'client-certificate': 'tls.crt', 'client-key': 'tls.key' };

/** Gives every registration a credential at once, with its number. */
const driversOf = (forked: AddonRegistration[], observed: string[], issuedBy: string): AddonDriverChoice => ({
  auth: 'csr',
  statusAuth: 'csr',
  find: () => ({
    authType: 'csr',
    supports: () => true,
    create({ addon }, registration) {
      addon.changes.subscribe(() => observed.push(addon.current()?.metadata?.name ?? 'deleted'));
      const credential = `certificate ${forked.push(registration)}${issuedBy}`;
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

interface StartOptions {
  spoke?: KubeClient;
  issuedBy?: string;
  /** Whether the hub shows the ManagedCluster; without it, it has an add-on of it only. */
  isKnown?: boolean;
}

/** A hub, and a cluster: by default a new one. */
async function start({ spoke: given, issuedBy = '', isKnown = true }: StartOptions = {}) {
  const clock = new FakeClock();
  const client = () => createKubeClient({ transport: new FakeApi(clock), clock });
  const [hub, management, spoke] = [client(), client(), given ?? client()];
  const forked: AddonRegistration[] = [];
  const observed: string[] = [];
  const end = new AbortController();
  const hubInformers = createInformers({ client: hub, clock });
  const addons = hub.resource(managedClusterAddOns);
  if (isKnown) await hub.resource(managedClusters).create({ metadata: { name: 'c1' }, spec: {} });
  else await addons.create({ metadata: { name: 'work', namespace: 'c1' }, spec: {} });
  const identity = { clusterName: 'c1', agentName: 'a1' };
  const addonDrivers = driversOf(forked, observed, issuedBy);
  const cached = hubInformers.resource(managedClusterAddOns);
  const controller = addonRegistrationController({
    identity,
    addonDrivers,
    driver: {},
    hub,
    informers: hubInformers,
    addons: cached,
    clusters: hubInformers.resource(managedClusters),
    management,
    spoke,
    spokeInformers: createInformers({ client: spoke, clock }),
    endpoint: () => ({ name: 'hub', server: 'https://hub' }),
    clock,
    log: silentLogger,
    random: () => 0,
    signal: end.signal,
  });
  const sweep = addonSweepController({ identity, addonDrivers, addons: cached, management, spoke });
  const running = runControllers([controller, sweep], { signal: end.signal, clock });
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
    spoke,
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

  it('are got anew on another hub at the same address, and meanwhile stay as they are', async () => {
    let spoke: KubeClient;
    {
      await using first = await start({ issuedBy: ' of the first hub' });
      await first.set([kubeClient('u'), customSigner]);
      ({ spoke } = first);
    }
    await using second = await start({ spoke, issuedBy: ' of the second hub' });
    await second.set(undefined);
    expect(await second.certificate()).toBe('certificate 1 of the first hub');
    await second.set([kubeClient('u'), customSigner]);
    expect(await second.certificate()).toBe('certificate 1 of the second hub');
    expect(second.forked).toHaveLength(2);
    expect(await second.onSpoke()).toHaveLength(2);
  });

  it('are got anew if an agent that recorded no hub got them at another address', async () => {
    await using first = await start();
    await first.set([kubeClient('u')]);
    const handle = first.spoke.resource(secrets);
    const { metadata, ...others } = await handle.get(kubeconfigSecret);
    const { namespace = '', name = '' } = metadata ?? {};
    await handle.delete(kubeconfigSecret);
    const kubeconfig = Buffer.from(others.data?.kubeconfig ?? '', 'base64').toString();
    const moved = Buffer.from(kubeconfig.replace('https://hub', 'https://other')).toString('base64');
    await handle.create({ ...others, metadata: { namespace, name }, data: { ...others.data, kubeconfig: moved } });
    await first.clock.advance(10 * 60_000);
    const found = await handle.get(kubeconfigSecret);
    expect(found.metadata?.annotations).toMatchObject({ 'agent.open-cluster-management.io/addon': 'work' });
    expect(Buffer.from(found.data?.kubeconfig ?? '', 'base64').toString()).toBe(kubeconfig);
  });

  it('are those of the hub where an agent takes them over that recorded no hub, and got anew on another one', async () => {
    const issuedBy = ' of the first hub';
    await using first = await start({ issuedBy });
    await first.set([kubeClient('u')]);
    const handle = first.spoke.resource(secrets);
    const { metadata, ...others } = await handle.get(kubeconfigSecret);
    const { namespace = '', name = '' } = metadata ?? {};
    await handle.delete(kubeconfigSecret);
    await handle.create({ ...others, metadata: { namespace, name } });
    await first.clock.advance(10 * 60_000);
    expect((await handle.get(kubeconfigSecret)).metadata).toMatchObject({
      labels: metadata?.labels,
      annotations: metadata?.annotations,
    });
    expect((await handle.get(kubeconfigSecret)).data).toEqual(others.data);
    await using second = await start({ spoke: first.spoke, issuedBy: ' of the second hub' });
    await second.set([kubeClient('u')]);
    expect(await second.certificate()).toBe('certificate 1 of the second hub');
  });

  it('go when the add-on was deleted while no agent ran, and those of another agent and of other programs stay', async () => {
    let spoke: KubeClient;
    {
      await using first = await start();
      await first.set([kubeClient('u'), customSigner]);
      ({ spoke } = first);
    }
    const handle = spoke.resource(secrets);
    const { metadata, data } = await handle.get(kubeconfigSecret);
    const annotations = { ...metadata?.annotations, 'agent.open-cluster-management.io/agent': 'another' };
    const namespace = 'open-cluster-management-agent-addon';
    const labels = metadata?.labels ?? {};
    await handle.create({ metadata: { namespace, name: 'of-another-agent', labels, annotations }, data: data ?? {} });
    await handle.create({ metadata: { namespace, name: 'of-another-program' } });
    await using second = await start({ spoke });
    await second.clock.advance(1000);
    expect(await second.onSpoke()).toEqual([`${namespace}/of-another-agent`, `${namespace}/of-another-program`]);
  });

  it('go when the add-on is deleted before the agent knows on which hub it is', async () => {
    let spoke: KubeClient;
    {
      await using first = await start();
      await first.set([kubeClient('u')]);
      ({ spoke } = first);
    }
    await using second = await start({ spoke, isKnown: false });
    await second.clock.advance(1000);
    expect(await second.onSpoke()).toEqual([kubeconfigSecret]);
    await second.addons.delete('c1/work');
    await second.clock.advance(1000);
    expect(await second.onSpoke()).toEqual([]);
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
