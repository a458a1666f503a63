import type { AddOnConfigReference, ManagedClusterAddOn, ManifestWork } from '@flotilla/api-types';
import { Annotation, Label } from '@flotilla/api-types';
import type { Condition } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { adc, config, hubOf } from '../fixtures/hub.ts';
import { startManager } from '../fixtures/running-manager.ts';
import { progressingCondition, progressingStatus } from './progressing.status.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const earlier = '2025-01-01T00:00:00Z';
const condition = (type: string, status: Condition['status'] = 'True', observedGeneration?: number): Condition => ({
  type,
  status,
  reason: 'Test',
  message: 'it is so',
  lastTransitionTime: earlier,
  ...(observedGeneration !== undefined && { observedGeneration }),
});
const reference = (specHash: string, applied?: string): AddOnConfigReference => ({
  ...adc,
  desiredConfig: { namespace: 'ns', name: 'd', specHash },
  ...(applied !== undefined && { lastAppliedConfig: { namespace: 'ns', name: 'd', specHash: applied } }),
});
const addOn = (parts: {
  references?: AddOnConfigReference[];
  conditions?: Condition[];
  spec?: ManagedClusterAddOn['spec'];
}): ManagedClusterAddOn => ({
  metadata: { namespace: 'c1', name: 'hello' },
  spec: parts.spec ?? {},
  status: {
    supportedConfigs: [{ ...adc }],
    configReferences: parts.references ?? [],
    conditions: parts.conditions ?? [condition('ManifestApplied')],
  },
});
const work = (hashes?: object | string, conditions?: Condition[]): ManifestWork => ({
  metadata: {
    namespace: 'c1',
    name: 'addon-hello-deploy-0',
    generation: 2,
    ...(hashes !== undefined && {
      annotations: { [Annotation.ConfigSpecHash]: typeof hashes === 'string' ? hashes : JSON.stringify(hashes) },
    }),
  },
  spec: {},
  status: { conditions: conditions ?? [condition('Applied', 'True', 2), condition('Available', 'True', 2)] },
});
const key = 'addondeploymentconfigs.addon.open-cluster-management.io/ns/d';
const of = (given: ManagedClusterAddOn, works: ManifestWork[] = [], hostingCluster?: string) => {
  const { status, reason, message } = progressingCondition({ addOn: given, works, hostingCluster });
  return `${status} ${reason}: ${message}`;
};

describe('the progress of an add-on', () => {
  it('[addons 68] ends when it is given a configuration that it does not support', () => {
    const given = addOn({ spec: { configs: [{ group: 'example.com', resource: 'things', name: 't' }] } });
    expect(of(given)).toBe(
      'False ConfigurationUnsupported: Configuration with gvr example.com/things is not supported for this addon',
    );
  });

  it('[addons 60, 61] waits until its manifests are applied, here and on the hosting cluster', () => {
    expect(of(addOn({ conditions: [] }))).toBe(
      'False WaitingForManifestApplied: Waiting for ManagedClusterAddOn ManifestApplied condition',
    );
    expect(of(addOn({}), [], 'host')).toBe(
      'False WaitingForHostingManifestApplied: Waiting for ManagedClusterAddOn HostingManifestApplied condition',
    );
  });

  it('[addons 62] has no works', () => {
    expect(of(addOn({}))).toBe('True Progressing: progressing... no addon works');
  });

  it.each([
    [
      'has another hash',
      { [key]: 'h1' },
      'h2',
      `ManifestWork c1/addon-hello-deploy-0 was not made for the newest ${key}`,
    ],
    [
      'has no hashes',
      undefined,
      'h2',
      'ManifestWork c1/addon-hello-deploy-0 does not say for which configurations it was made',
    ],
    [
      'was made for more',
      { [key]: 'h2', 'x//y': 'h' },
      'h2',
      'ManifestWork c1/addon-hello-deploy-0 was made for x//y, which the add-on does not have any more',
    ],
    ['is for a configuration that is not hashed', { [key]: '' }, '', `the manager of the add-on has not read ${key}`],
    [
      'has an annotation that cannot be read',
      '{',
      'h2',
      `annotation ${Annotation.ConfigSpecHash} of ManifestWork c1/addon-hello-deploy-0 is not a JSON object`,
    ],
  ] as const)('[addons 63] goes on while a work %s', (_, hashes, specHash, why) => {
    expect(of(addOn({ references: [reference(specHash)] }), [work(hashes)])).toBe(
      `True Progressing: progressing... mca and work configs mismatch: ${why}`,
    );
  });

  it.each([
    [
      'Applied is missing',
      [],
      'the work agent of cluster c1 has not reported Applied of the newest ManifestWork c1/addon-hello-deploy-0',
    ],
    [
      'Available is missing',
      [condition('Applied', 'True', 2)],
      'the work agent of cluster c1 has not reported Available of the newest ManifestWork c1/addon-hello-deploy-0',
    ],
    [
      'Available is of an older work',
      [condition('Applied', 'True', 2), condition('Available', 'True', 1)],
      'the work agent of cluster c1 has not reported Available of the newest ManifestWork c1/addon-hello-deploy-0',
    ],
    [
      'Available is False',
      [condition('Applied', 'True', 2), condition('Available', 'False', 2)],
      'ManifestWork c1/addon-hello-deploy-0 is not Available: it is so',
    ],
    [
      'Applied is False',
      [condition('Applied', 'False', 2), condition('Available', 'True', 2)],
      'ManifestWork c1/addon-hello-deploy-0 is not Applied: it is so',
    ],
  ] as const)('[addons 64] goes on while %s, and says so', (_, conditions, why) => {
    expect(of(addOn({}), [work(undefined, [...conditions])])).toBe(
      `True Progressing: progressing... work is not ready: ${why}`,
    );
  });

  it('[addons 65] is completed when all works are ready, and records what was applied', () => {
    const given = addOn({ references: [reference('h2', 'h1')] });
    const status = progressingStatus({ addOn: given, works: [work({ [key]: 'h2' })], hostingCluster: undefined }, now);
    expect(status?.configReferences).toEqual([reference('h2', 'h2')]);
    expect(status?.conditions?.[1]).toMatchObject({
      status: 'False',
      reason: 'Completed',
      message: 'completed with no errors.',
    });
  });

  it('keeps what was applied when a work is not healthy any more', () => {
    const given = addOn({ references: [reference('h2', 'h2')] });
    const works = [work({ [key]: 'h2' }, [])];
    expect(
      progressingStatus({ addOn: given, works, hostingCluster: undefined }, now)?.configReferences,
    ).toBeUndefined();
  });

  it('counts the soak time of a configuration from its arrival, also when nobody saw it on its way', () => {
    const completed = {
      ...condition('Progressing', 'False'),
      reason: 'Completed',
      message: 'completed with no errors.',
    };
    const given = addOn({ references: [reference('h2', 'h1')], conditions: [condition('ManifestApplied'), completed] });
    const input = { works: [work({ [key]: 'h2' })], hostingCluster: undefined };
    const arrived = progressingStatus({ addOn: given, ...input }, now);
    expect(arrived?.conditions?.[1]?.lastTransitionTime).toBe('2026-01-01T00:00:00Z');
    expect(
      progressingStatus({ addOn: { ...given, status: { ...given.status, ...arrived } }, ...input }, now),
    ).toBeUndefined();
  });
});

describe('the works of an add-on', () => {
  it('[addons 66] are those on its cluster without another add-on, and its own on the hosting cluster', async () => {
    await using manager = await startManager(['c1', 'host']);
    const hub = hubOf(manager);
    await hub.create({});
    for (const namespace of ['c1', 'host']) await hub.mcas.create({ metadata: { namespace, name: 'hello' }, spec: {} });
    await hub.changeAddOn('c1', { metadata: { annotations: { [Annotation.HostingClusterName]: 'host' } } });
    const applied = [hub.condition('ManifestApplied', 'True'), hub.condition('HostingManifestApplied', 'True')];
    await hub.changeAddOnStatus('c1', { conditions: applied });
    await hub.changeAddOnStatus('host', { conditions: applied });
    const hosted = 'addon-hello-deploy-hosting-c1-0';
    await hub.deployWork(await hub.addOn('c1'), 'host', hosted, { [Label.AddOnNamespace]: 'c1' });
    await manager.pass(5000);
    expect(await hub.conditionOf('host', 'Progressing')).toBe('True Progressing: progressing... no addon works');
    expect(await hub.conditionOf('c1', 'Progressing')).toContain(`ManifestWork host/${hosted}`);
    await hub.report('host', true, hosted);
    expect(await hub.conditionOf('c1', 'Progressing')).toBe('False Completed: completed with no errors.');
  });

  it('[addons 67] do not include those that run before its removal', async () => {
    await using manager = await startManager(['c0']);
    const hub = hubOf(manager);
    await hub.create({});
    await hub.mcas.create({ metadata: { namespace: 'c0', name: 'hello' }, spec: {} });
    await hub.deploy('c0', true);
    await hub.deployWork(await hub.addOn('c0'), 'c0', 'addon-hello-pre-delete');
    expect(await hub.conditionOf('c0', 'Progressing')).toBe('False Completed: completed with no errors.');
  });

  it('[addons Q7] of a template are on its own cluster, whatever the hosting annotation says', async () => {
    await using manager = await startManager(['c0']);
    const hub = hubOf(manager);
    const templates = { group: adc.group, resource: 'addontemplates', name: '__reserved_no_default__' };
    await hub.create({ defaultConfigs: [templates] });
    const annotations = { [Annotation.HostingClusterName]: 'host' };
    await hub.mcas.create({ metadata: { namespace: 'c0', name: 'hello', annotations }, spec: {} });
    await manager.quiet();
    await hub.deploy('c0', true);
    expect(await hub.conditionOf('c0', 'Progressing')).toBe('False Completed: completed with no errors.');
  });

  it('are reported in time when the clock is set back', async () => {
    await using manager = await startManager(['c0']);
    const hub = hubOf(manager);
    await hub.create({ defaultConfigs: [config('d')] });
    await hub.mcas.create({ metadata: { namespace: 'c0', name: 'hello' }, spec: {} });
    await hub.hash({ d: 'h1' });
    await hub.deploy('c0');
    manager.clock.jump(-3_600_000);
    await manager.pass(5000);
    expect(await hub.conditionOf('c0', 'Progressing')).toContain('has not reported Applied');
  });

  it('are followed from a configuration to its arrival, and nothing is written twice', async () => {
    await using manager = await startManager(['c0']);
    const hub = hubOf(manager);
    await hub.create({ defaultConfigs: [config('d')] });
    await hub.mcas.create({ metadata: { namespace: 'c0', name: 'hello' }, spec: {} });
    await hub.hash({ d: 'h1' });
    expect(await hub.conditionOf('c0', 'Progressing')).toContain('WaitingForManifestApplied');
    await hub.deploy('c0');
    expect(await hub.conditionOf('c0', 'Progressing')).toContain('WaitingForManifestApplied');
    await manager.pass(5000);
    expect(await hub.conditionOf('c0', 'Progressing')).toContain('has not reported Applied');
    await hub.report('c0', false);
    await manager.pass(5000);
    expect(await hub.conditionOf('c0', 'Progressing')).toContain('is not Available: the deployment has no replica');
    await hub.report('c0', true);
    expect((await hub.addOn('c0')).status?.configReferences?.[0]?.lastAppliedConfig?.specHash).toBe('h1');
    manager.takeWrites();
    await manager.restart();
    expect(manager.takeWrites()).toEqual([]);
  });
});
