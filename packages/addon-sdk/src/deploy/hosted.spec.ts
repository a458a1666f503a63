import { describe, expect, it } from 'vitest';
import type { AddonDefinition } from '../definition/addon-definition.ts';
import { annotated, configMap, deployment, job } from '../fixtures/objects.ts';
import { type OneAddon, runProbe, stopAfterEach } from '../fixtures/one-addon.ts';

stopAfterEach();

const at = (location: string, name: string) =>
  annotated(configMap(name), 'addon.open-cluster-management.io/hosted-manifest-location', location);
const hostingAnnotation = 'addon.open-cluster-management.io/hosting-cluster-name';
const hostedBy = (cluster: string) => ({ metadata: { annotations: { [hostingAnnotation]: cluster } } });
const cleanup = 'addon.open-cluster-management.io/hosting-manifests-cleanup';
const hostedWork = 'addon-probe-deploy-hosting-c1-0';

const manifests = [at('hosting', 'h'), at('managed', 'm'), at('none', 'n'), configMap('plain')];
const namesIn = async ({ works }: OneAddon, namespace: string) =>
  Object.fromEntries(
    (await works(namespace)).map(({ metadata, spec }) => [
      metadata?.name,
      spec?.workload?.manifests?.map((manifest) => manifest.metadata?.name),
    ]),
  );

const start = async (rest: Partial<AddonDefinition> = {}) => {
  const probe = await runProbe(manifests, { hosted: true, ...rest });
  await probe.addCluster('host');
  return probe;
};

describe('an add-on that is hosted', () => {
  it('[addons 90] by an unknown cluster is deployed nowhere there, until the cluster exists', async () => {
    const probe = await start();
    await probe.enable('c1', 'probe', hostedBy('absent'));
    expect(await probe.condition('c1', 'probe', 'HostingClusterValidity')).toBe(
      'False HostingClusterInvalid: hosting cluster absent is not a managed cluster of the hub',
    );
    expect(await namesIn(probe, 'host')).toEqual({});
    await probe.addCluster('absent');
    await probe.quiet();
    expect(Object.keys(await namesIn(probe, 'absent'))).toEqual([hostedWork]);
  });

  it('[addons 91, 92, 95] by another cluster has its works there, with both labels and no owner', async () => {
    const probe = await start();
    await probe.enable('c1', 'probe', hostedBy('host'));
    expect((await probe.addon('c1', 'probe'))?.metadata?.finalizers).toEqual([cleanup]);
    expect(await namesIn(probe, 'host')).toEqual({ [hostedWork]: ['h'] });
    expect(await namesIn(probe, 'c1')).toEqual({ 'addon-probe-deploy-0': ['m', 'plain'] });
    const [work] = await probe.works('host');
    expect(work?.metadata?.labels).toEqual({
      'open-cluster-management.io/addon-name': 'probe',
      'open-cluster-management.io/addon-namespace': 'c1',
    });
    expect(work?.metadata?.ownerReferences).toBeUndefined();
    expect(await probe.condition('c1', 'probe', 'HostingClusterValidity')).toBe(
      'True HostingClusterValid: hosting cluster host is a managed cluster of the hub',
    );
    await probe.report('host', hostedWork);
    expect(await probe.condition('c1', 'probe', 'HostingManifestApplied')).toBe(
      'True AddonManifestApplied: manifests of addon are applied successfully',
    );
  });

  it('[addons 95] by its own cluster, with all manifests, when it is not hosted', async () => {
    const probe = await start();
    await probe.enable('c1', 'probe');
    expect(await namesIn(probe, 'c1')).toEqual({ 'addon-probe-deploy-0': ['h', 'm', 'n', 'plain'] });
  });

  it('[addons 93] takes its works along when it is deleted', async () => {
    const probe = await start();
    await probe.enable('c1', 'probe', hostedBy('host'));
    await probe.hub.addons.delete('c1/probe');
    await probe.quiet();
    expect(await namesIn(probe, 'host')).toEqual({});
    expect(await probe.addon('c1', 'probe')).toBeUndefined();
  });

  it('takes its works along when its managed cluster is gone', async () => {
    const probe = await start();
    await probe.enable('c1', 'probe', hostedBy('host'));
    await probe.hub.clusters.delete('c1');
    await probe.hub.addons.delete('c1/probe');
    await probe.quiet();
    expect(await namesIn(probe, 'host')).toEqual({});
    expect(await probe.addon('c1', 'probe')).toBeUndefined();
  });

  it('[addons 94] by a decision of its own behaves as with the annotation', async () => {
    const probe = await start({ hosted: () => ({ mode: 'Hosted', hostingCluster: 'host' }) });
    await probe.enable('c1', 'probe');
    expect(await namesIn(probe, 'host')).toEqual({ [hostedWork]: ['h'] });
    await probe.hub.addons.delete('c1/probe');
    await probe.quiet();
    expect(await namesIn(probe, 'host')).toEqual({});
    expect(await probe.addon('c1', 'probe')).toBeUndefined();
  });

  it('[addons 96] returns to its own cluster, and moves between hosts', async () => {
    const probe = await start();
    await probe.addCluster('other');
    await probe.enable('c1', 'probe', hostedBy('host'));
    const host = async (annotation: string | null) => {
      const body = { metadata: { annotations: { [hostingAnnotation]: annotation } } };
      await probe.hub.addons.patch('c1/probe', { type: 'merge', body });
      await probe.quiet();
    };
    await host('other');
    expect([await namesIn(probe, 'host'), await namesIn(probe, 'other')]).toEqual([{}, { [hostedWork]: ['h'] }]);
    await host(null);
    expect(await namesIn(probe, 'other')).toEqual({});
    expect((await probe.addon('c1', 'probe'))?.metadata?.finalizers ?? []).toEqual([]);
    expect(await namesIn(probe, 'c1')).toEqual({ 'addon-probe-deploy-0': ['m', 'plain', 'h', 'n'] });
  });

  it('[addons Q7] that does not know hosted mode stays on its own cluster', async () => {
    const probe = await start({ hosted: false, health: { type: 'workloads', kinds: ['deployments'] } });
    await probe.enable('c1', 'probe', hostedBy('host'));
    expect(await namesIn(probe, 'c1')).toEqual({ 'addon-probe-deploy-0': ['h', 'm', 'n', 'plain'] });
    await probe.report('c1', 'addon-probe-deploy-0');
    expect(await probe.condition('c1', 'probe', 'Available')).toBe('True ProbeAvailable: probe add-on is available.');
  });

  it('refuses a location that does not exist', async () => {
    const probe = await start({ render: () => [at('moon', 'x')] });
    await probe.enable('c1', 'probe', hostedBy('host'));
    expect(await probe.condition('c1', 'probe', 'ManifestApplied')).toContain(
      'add-on probe on cluster c1: ConfigMap default/x: annotation addon.open-cluster-management.io/hosted-manifest-location is "moon"; it must be managed, hosting or none',
    );
  });

  it('[addons 88] does not run completed hooks again while others hold it', async () => {
    const hook = annotated(
      annotated(job('clean'), 'addon.open-cluster-management.io/addon-pre-delete'),
      'addon.open-cluster-management.io/hosted-manifest-location',
      'hosting',
    );
    const probe = await start({ render: () => [...manifests, hook] });
    const annotations = { [hostingAnnotation]: 'host' };
    await probe.enable('c1', 'probe', { metadata: { annotations, finalizers: ['test/hold'] } });
    await probe.hub.addons.delete('c1/probe');
    await probe.quiet();
    const hookWork = 'addon-probe-pre-delete-hosting-c1';
    expect(Object.keys(await namesIn(probe, 'host')).sort()).toEqual([hostedWork, hookWork]);
    await probe.report('host', hookWork, { feedback: { 'jobs default/clean': { JobComplete: 'True' } } });
    expect(await probe.condition('c1', 'probe', 'HookManifestCompleted')).toBe(
      `True HookManifestIsCompleted: hook manifestWork ${hookWork} is completed.`,
    );
    expect(await namesIn(probe, 'host')).toEqual({});
    expect((await probe.addon('c1', 'probe'))?.metadata?.finalizers).toEqual(['test/hold']);
    probe.takeWrites();
    probe.engine.trigger('c1', 'probe');
    await probe.quiet();
    expect(probe.takeWrites()).toEqual([]);
  });

  it('[addons 104] is as healthy as its works on the hosting cluster', async () => {
    const agent = annotated(
      deployment('agent'),
      'addon.open-cluster-management.io/hosted-manifest-location',
      'hosting',
    );
    const probe = await start({
      render: () => [agent, configMap('m')],
      health: { type: 'workloads', kinds: ['deployments'] },
    });
    await probe.enable('c1', 'probe', hostedBy('host'));
    await probe.report('c1', 'addon-probe-deploy-0');
    expect(await probe.condition('c1', 'probe', 'Available')).toContain('Unknown WorkNotApplied');
    await probe.report('host', hostedWork, {
      feedback: { 'deployments default/agent': { Replicas: 1, ReadyReplicas: 1 } },
    });
    expect(await probe.condition('c1', 'probe', 'Available')).toBe('True ProbeAvailable: probe add-on is available.');
  });
});
