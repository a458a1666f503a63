import { describe, expect, it } from 'vitest';
import { config } from '../definition/config.ts';
import { annotated, configMap, job } from '../fixtures/objects.ts';
import { enableProbe, stopAfterEach } from '../fixtures/one-addon.ts';

stopAfterEach();

const mark = 'addon.open-cluster-management.io/addon-pre-delete';
const finalizer = 'addon.open-cluster-management.io/addon-pre-delete';
const hookWork = 'addon-probe-pre-delete';
const hook = annotated(job('clean'), mark);
const names = (works: { metadata?: { name?: string } }[]) => works.map(({ metadata }) => metadata?.name).sort();
const completed = { feedback: { 'jobs default/clean': { JobComplete: 'True', JobSucceeded: 1 } } };
const failed = { feedback: { 'jobs default/clean': { JobFailed: 'True' } } };

describe('a pre-delete hook', () => {
  it('[addons Q15] that appears while the add-on is deleted does not hold it', async () => {
    const { hub, quiet, addon, rerender, takeWrites } = await enableProbe([configMap('a')]);
    await hub.addons.patch('c1/probe', { type: 'merge', body: { metadata: { finalizers: ['test/hold'] } } });
    await hub.addons.delete('c1/probe');
    await quiet();
    takeWrites();
    await rerender([configMap('a'), hook]);
    expect(takeWrites()).toEqual([]);
    expect((await addon('c1', 'probe'))?.metadata?.finalizers).toEqual(['test/hold']);
  });

  it('[addons 84] is not deployed, and holds the add-on', async () => {
    const labelled = { ...job('other'), metadata: { ...job('other').metadata, labels: { [mark]: '' } } };
    const { works, addon } = await enableProbe([configMap('a'), hook, labelled]);
    expect((await works('c1')).map(({ spec }) => spec?.workload?.manifests)).toEqual([[configMap('a')]]);
    expect((await addon('c1', 'probe'))?.metadata?.finalizers).toEqual([finalizer]);
  });

  it('[addons 85] runs when the add-on is deleted, while its works are still updated', async () => {
    const { works, hub, quiet, condition, rerender } = await enableProbe([configMap('a'), hook]);
    await hub.addons.delete('c1/probe');
    await quiet();
    expect(names(await works('c1'))).toEqual(['addon-probe-deploy-0', hookWork]);
    const [, hookWorkObject] = await works('c1');
    expect(hookWorkObject?.metadata?.labels).toEqual({ 'open-cluster-management.io/addon-name': 'probe' });
    expect(hookWorkObject?.spec?.manifestConfigs).toMatchObject([
      {
        resourceIdentifier: { group: 'batch', resource: 'jobs', namespace: 'default', name: 'clean' },
        feedbackRules: [
          { type: 'WellKnownStatus' },
          {
            type: 'JSONPaths',
            jsonPaths: [{ name: 'JobFailed', path: '.status.conditions[?(@.type=="Failed")].status' }],
          },
        ],
      },
    ]);
    expect(await condition('c1', 'probe', 'HookManifestCompleted')).toBe(
      `False HookManifestIsNotCompleted: hook manifestWork ${hookWork} is not completed.`,
    );
    await rerender([configMap('a', { fixed: 'yes' }), hook]);
    expect((await works('c1'))[0]?.spec?.workload?.manifests).toEqual([configMap('a', { fixed: 'yes' })]);
  });

  it('[addons 86] lets the add-on go when it is completed', async () => {
    const { addon, hub, quiet, report, works } = await enableProbe([configMap('a'), hook]);
    await hub.addons.delete('c1/probe');
    await quiet();
    await report('c1', hookWork, { ...completed, available: 'False' });
    expect(await addon('c1', 'probe')).toBeDefined();
    await report('c1', hookWork, completed);
    expect(await addon('c1', 'probe')).toBeUndefined();
    await quiet();
    expect(await works('c1')).toEqual([]);
  });

  it('[addons 87] takes finalizers of older versions along when it writes its own', async () => {
    const { hub, quiet, addon, rerender } = await enableProbe([configMap('a')]);
    const finalizers = ['cluster.open-cluster-management.io/addon-pre-delete', 'test/other'];
    await hub.addons.patch('c1/probe', { type: 'merge', body: { metadata: { finalizers } } });
    await quiet();
    expect((await addon('c1', 'probe'))?.metadata?.finalizers).toEqual(finalizers);
    await rerender([configMap('a'), hook]);
    expect((await addon('c1', 'probe'))?.metadata?.finalizers).toEqual(['test/other', finalizer]);
    await rerender([configMap('a')]);
    expect((await addon('c1', 'probe'))?.metadata?.finalizers).toEqual(['test/other']);
  });

  it('[addons 87] of an older version does not hold an add-on that is deleted', async () => {
    const { hub, quiet, addon } = await enableProbe([configMap('a')]);
    const finalizers = ['cluster.open-cluster-management.io/hosting-manifests-cleanup'];
    await hub.addons.patch('c1/probe', { type: 'merge', body: { metadata: { finalizers } } });
    await hub.addons.delete('c1/probe');
    await quiet();
    expect(await addon('c1', 'probe')).toBeUndefined();
  });

  it('that failed runs again after a while, and says so', async () => {
    const { addon, hub, quiet, pass, report, works, condition } = await enableProbe([hook]);
    await hub.addons.delete('c1/probe');
    await quiet();
    await report('c1', hookWork, failed);
    expect(names(await works('c1'))).toEqual([]);
    expect(await condition('c1', 'probe', 'HookManifestCompleted')).toBe(
      `False HookManifestIsNotCompleted: hook manifestWork ${hookWork} is not completed. A hook failed once and runs again.`,
    );
    await pass(10_000);
    expect(names(await works('c1'))).toEqual([hookWork]);
    await report('c1', hookWork, failed);
    await pass(10_000);
    expect(names(await works('c1'))).toEqual([]);
    await pass(10_000);
    await report('c1', hookWork, completed);
    expect(await addon('c1', 'probe')).toBeUndefined();
  });

  it('may be a Pod', async () => {
    const pod = annotated({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'bye', namespace: 'default' } }, mark);
    const { addon, hub, quiet, report } = await enableProbe([pod]);
    await hub.addons.delete('c1/probe');
    await quiet();
    await report('c1', hookWork, { feedback: { 'pods default/bye': { PodPhase: 'Running' } } });
    expect(await addon('c1', 'probe')).toBeDefined();
    await report('c1', hookWork, { feedback: { 'pods default/bye': { PodPhase: 'Succeeded' } } });
    expect(await addon('c1', 'probe')).toBeUndefined();
  });

  it('does not hold the add-on of a cluster that is gone', async () => {
    const { addon, hub, quiet } = await enableProbe([hook]);
    await hub.addons.delete('c1/probe');
    await quiet();
    expect(await addon('c1', 'probe')).toBeDefined();
    await hub.clusters.delete('c1');
    await quiet();
    expect(await addon('c1', 'probe')).toBeUndefined();
  });

  it('does not hold the add-on of a cluster whose removal is forced', async () => {
    const { addon, hub, quiet } = await enableProbe([hook]);
    await hub.clusters.patch('c1', { type: 'merge', body: { metadata: { finalizers: ['test/hold'] } } });
    await hub.clusters.delete('c1');
    await hub.addons.delete('c1/probe');
    await quiet();
    expect(await addon('c1', 'probe')).toBeDefined();
    const annotations = { 'open-cluster-management.io/force-removal': 'true' };
    await hub.clusters.patch('c1', { type: 'merge', body: { metadata: { annotations } } });
    await quiet();
    expect(await addon('c1', 'probe')).toBeUndefined();
  });

  const enableConfigured = async () => {
    const probe = await enableProbe([], { configs: { deploy: config.deployment() }, render: () => [hook] });
    await probe.hub.deploymentConfigs.create({ metadata: { namespace: 'default', name: 's' }, spec: {} });
    const desiredConfig = { namespace: 'default', name: 's', specHash: 'older' };
    const group = 'addon.open-cluster-management.io';
    await probe.setReferences('c1', 'probe', [{ group, resource: 'addondeploymentconfigs', desiredConfig }]);
    return probe;
  };

  it('runs although the rollout has not admitted a newer configuration', async () => {
    const { hub, quiet, works } = await enableConfigured();
    await hub.addons.delete('c1/probe');
    await quiet();
    expect(names(await works('c1'))).toEqual([hookWork]);
  });

  it('does not hold the add-on when both its configuration and its offer are gone', async () => {
    const { hub, quiet, addon, condition } = await enableConfigured();
    await hub.deploymentConfigs.delete('default/s');
    await hub.addons.delete('c1/probe');
    await quiet();
    expect((await addon('c1', 'probe'))?.metadata?.finalizers).toEqual([finalizer]);
    expect(await condition('c1', 'probe', 'ManifestApplied')).toContain(
      'config addondeploymentconfigs default/s does not exist',
    );
    await hub.offers.delete('probe');
    await quiet();
    expect(await addon('c1', 'probe')).toBeUndefined();
  });

  it('runs when its offer is gone and its configuration is not', async () => {
    const { hub, quiet, addon, works } = await enableConfigured();
    await hub.offers.delete('probe');
    await hub.addons.delete('c1/probe');
    await quiet();
    expect((await addon('c1', 'probe'))?.metadata?.finalizers).toEqual([finalizer]);
    expect(names(await works('c1'))).toEqual([hookWork]);
  });

  it('holds an add-on that is not deleted when both are gone', async () => {
    const { hub, quiet, addon } = await enableConfigured();
    const metadata = { ownerReferences: [], resourceVersion: (await addon('c1', 'probe'))?.metadata?.resourceVersion };
    await hub.addons.patch('c1/probe', { type: 'merge', body: { metadata } });
    await hub.deploymentConfigs.delete('default/s');
    await hub.offers.delete('probe');
    await quiet();
    expect((await addon('c1', 'probe'))?.metadata?.finalizers).toEqual([finalizer]);
  });
});
