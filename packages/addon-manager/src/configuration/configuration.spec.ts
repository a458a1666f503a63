import { findCondition } from '@flotilla/kube';
import { describe, expect, it } from 'vitest';
import { adc, config, hubOf, placement } from '../fixtures/hub.ts';
import { startManager } from '../fixtures/running-manager.ts';

const thing = { group: 'example.com', resource: 'things' } as const;
const configured = 'True ConfigurationsConfigured: Configurations configured';
const waiting = 'False ConfigurationsNotConfigured: Configurations updated and not configured yet';

describe('the configuration of add-ons', () => {
  it('[addons 30] gives an add-on the default configuration', async () => {
    await using manager = await startManager(['c0']);
    const hub = hubOf(manager);
    await hub.create({ defaultConfigs: [config('d')] });
    await hub.mcas.create({ metadata: { namespace: 'c0', name: 'hello' }, spec: {} });
    await hub.hash({ d: 'h1' });
    expect((await hub.addOn('c0')).status?.configReferences).toEqual([
      { ...adc, lastObservedGeneration: 0, desiredConfig: { namespace: 'ns', name: 'd', specHash: 'h1' } },
    ]);
    expect(await hub.conditionOf('c0', 'Configured')).toBe(configured);
  });

  it('[addons 31] refers to a configuration that does not exist, with an empty hash, when nobody has hashed it for two seconds', async () => {
    await using manager = await startManager(['c0']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0']);
    await hub.install([placement('p', { configs: [config('missing')] })], { defaultConfigs: [config('d')] });
    await hub.hash({ d: 'h1' });
    await manager.pass(1000);
    expect(await hub.configsOf('c0')).toEqual([]);
    await manager.pass(1000);
    expect(await hub.configsOf('c0')).toEqual(['missing=']);
    expect((await hub.addOn('c0')).status?.configReferences?.[0]?.lastObservedGeneration).toBe(0);
  });

  it('waits no longer for a hash when the clock is set back', async () => {
    await using manager = await startManager(['c0']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0']);
    await hub.install([placement('p', { configs: [config('missing')] })]);
    await manager.pass(1000);
    manager.clock.jump(-3_600_000);
    await manager.pass(1000);
    expect(await hub.configsOf('c0')).toEqual(['missing=']);
  });

  it('[addons 32, 34] lets a cluster override a kind, and keeps the default of others', async () => {
    await using manager = await startManager(['c0', 'c1']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0', 'c1']);
    await hub.install([placement('p')], { defaultConfigs: [config('d')] });
    await hub.hash({ d: 'h1' });
    await hub.changeAddOn('c0', { spec: { configs: [config('own')] } });
    await hub.changeAddOn('c1', { spec: { configs: [{ ...thing, name: 't' }] } });
    expect([await hub.configsOf('c0'), await hub.configsOf('c1')]).toEqual([['own='], ['d=h1', 't=']]);
  });

  it('[addons 40] refers to configurations without a namespace', async () => {
    await using manager = await startManager(['c0']);
    const hub = hubOf(manager);
    await hub.create({ defaultConfigs: [{ ...thing, name: 't' }] });
    await hub.mcas.create({ metadata: { namespace: 'c0', name: 'hello' }, spec: {} });
    await hub.hash({ t: 'h1' });
    expect((await hub.addOn('c0')).status?.configReferences?.[0]?.desiredConfig).toEqual({ name: 't', specHash: 'h1' });
  });

  it('[addons 39] sends nothing when the status says it already', async () => {
    await using manager = await startManager(['c0', 'c1']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0', 'c1']);
    await hub.install([placement('p')], { defaultConfigs: [config('d')] });
    await hub.hash({ d: 'h1' });
    manager.takeWrites();
    await manager.restart();
    await hub.select('p', ['c0', 'c1']);
    expect(manager.takeWrites()).toEqual([]);
  });

  it('gives the clusters of a placement its configurations at once, and never the defaults before', async () => {
    await using manager = await startManager(['c0']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0']);
    const seen = new Set<string | undefined>();
    const end = new AbortController();
    const watching = (async () => {
      for await (const event of hub.mcas.watch({ resourceVersion: '0', signal: end.signal })) {
        if (event.type !== 'BOOKMARK') seen.add(event.object.status?.configReferences?.[0]?.desiredConfig?.name);
      }
    })().catch(() => {});
    await hub.install([placement('p', { configs: [config('special')] })], { defaultConfigs: [config('d')] });
    await hub.hash({ special: 'h1', d: 'h2' });
    end.abort();
    await watching;
    expect([...seen]).toEqual([undefined, 'special']);
  });

  it('is written once to a cluster whose configuration is hashed in time', async () => {
    await using manager = await startManager(['c0']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0']);
    await hub.install([placement('p', { configs: [config('d')] })]);
    manager.takeWrites();
    await manager.pass(1000);
    await hub.hash({ d: 'h1' });
    const ofAddOn = manager.takeWrites().filter((write) => write.includes('managedclusteraddons'));
    expect(ofAddOn).toEqual(['PATCH c0/managedclusteraddons/hello/status']);
    expect(await hub.configsOf('c0')).toEqual(['d=h1']);
  });

  it('does not go on with a plan whose hashes have changed meanwhile', async () => {
    const clusters = Array.from({ length: 40 }, (_, index) => `c${index}`);
    await using manager = await startManager(clusters);
    const hub = hubOf(manager);
    await hub.select('p', clusters);
    await hub.install([placement('p', { configs: [config('d')] })]);
    const { promise, resolve } = Promise.withResolvers<void>();
    manager.holdWrites('managedclusteraddons/hello/status', promise);
    await hub.hash({ d: 'h1' });
    await hub.hash({ d: 'h2' });
    manager.takeWrites();
    resolve();
    await manager.quiet();
    expect(await hub.configsOf('c39')).toEqual(['d=h2']);
    // The 32 that were on their way with the first hash, and then all with the second.
    const writes = manager.takeWrites().filter((write) => write.includes('managedclusteraddons'));
    expect(writes).toHaveLength(32 + 40);
  });

  it('[addons 41] admits as many clusters as may change at a time; the others wait', async () => {
    await using manager = await startManager(['c0', 'c1']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0', 'c1']);
    const rolloutStrategy = { type: 'Progressive', progressive: { maxConcurrency: 1 } };
    await hub.install([placement('p', { rolloutStrategy, configs: [config('d')] })]);
    await hub.hash({ d: 'h1' });
    expect([await hub.conditionOf('c0', 'Configured'), await hub.configsOf('c0')]).toEqual([configured, ['d=h1']]);
    expect([await hub.conditionOf('c1', 'Configured'), await hub.configsOf('c1')]).toEqual([waiting, []]);
    await hub.deploy('c0', true);
    expect([await hub.conditionOf('c1', 'Configured'), await hub.configsOf('c1')]).toEqual([configured, ['d=h1']]);
  });

  it('[addons 48, 56] changes all clusters at once by default, and records what was applied everywhere', async () => {
    await using manager = await startManager(['c0', 'c1']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0', 'c1']);
    await hub.install([placement('p')], { defaultConfigs: [config('d')] });
    await hub.hash({ d: 'h1' });
    await hub.deploy('c0', true);
    expect(await hub.progressions()).toEqual([
      'selected clusters 2. configured addons 2/2 progressing..., 0 failed 0 timeout.',
    ]);
    await hub.deploy('c1', true);
    expect(await hub.progressions()).toEqual([
      'selected clusters 2. configured addons 2/2 completed with no errors, 0 failed 0 timeout.',
    ]);
    const reference = async () => (await hub.cmas.get('hello')).status?.installProgressions?.[0]?.configReferences?.[0];
    const h1 = { namespace: 'ns', name: 'd', specHash: 'h1' };
    expect(await reference()).toMatchObject({ desiredConfig: h1, lastAppliedConfig: h1, lastKnownGoodConfig: h1 });
    await hub.hash({ d: 'h2' });
    expect([await hub.configsOf('c0'), await hub.configsOf('c1')]).toEqual([['d=h2'], ['d=h2']]);
    expect(await reference()).toMatchObject({ desiredConfig: { specHash: 'h2' }, lastAppliedConfig: h1 });
    await hub.deploy('c0', true);
    await hub.deploy('c1', true);
    expect(await reference()).toMatchObject({
      lastAppliedConfig: { specHash: 'h2' },
      lastKnownGoodConfig: { specHash: 'h2' },
    });
  });

  it('[addons 45, 46] stops at the deadline with too many failures, and goes on when they are ready after all', async () => {
    await using manager = await startManager(['c0', 'c1', 'c2', 'c3']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0', 'c1', 'c2', 'c3']);
    const progressive = { maxConcurrency: 2, progressDeadline: '5s', maxFailures: 1 };
    await hub.install([
      placement('p', { rolloutStrategy: { type: 'Progressive', progressive }, configs: [config('d')] }),
    ]);
    await hub.hash({ d: 'h1' });
    await hub.deploy('c0', false);
    await hub.deploy('c1', false);
    expect(await hub.progressions()).toEqual([
      'selected clusters 4. configured addons 2/4 progressing..., 0 failed 0 timeout.',
    ]);
    await manager.pass(5000);
    expect(await hub.progressions()).toEqual([
      'selected clusters 4. configured addons 0/4 progressing..., 0 failed 2 timeout.',
    ]);
    expect([await hub.configsOf('c2'), await hub.configsOf('c3')]).toEqual([[], []]);
    const stalled = async () => {
      const [progression] = (await hub.cmas.get('hello')).status?.installProgressions ?? [];
      return findCondition(progression?.conditions, 'Stalled');
    };
    expect(await stalled()).toMatchObject({
      status: 'True',
      reason: 'MaxFailuresExceeded',
      message: expect.stringContaining('more clusters failed than maxFailures allows: c0, c1'),
    });
    await hub.report('c0', true);
    await hub.report('c1', true);
    expect(await stalled()).toMatchObject({ status: 'False', reason: 'NotStalled' });
    expect(await hub.progressions()).toEqual([
      'selected clusters 4. configured addons 4/4 progressing..., 0 failed 0 timeout.',
    ]);
    await hub.deploy('c2', true);
    await hub.deploy('c3', true);
    expect(await hub.progressions()).toEqual([
      'selected clusters 4. configured addons 4/4 completed with no errors, 0 failed 0 timeout.',
    ]);
  });

  it('[addons 44, 47] admits the next group after the soak time of the last, by a timer and not by polling', async () => {
    await using manager = await startManager(['c0', 'c1']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0'], ['c1']);
    const rolloutStrategy = { type: 'ProgressivePerGroup', progressivePerGroup: { minSuccessTime: '30s' } };
    await hub.install([placement('p', { rolloutStrategy, configs: [config('d')] })]);
    await hub.hash({ d: 'h1' });
    expect(await hub.conditionOf('c1', 'Configured')).toBe(waiting);
    await hub.deploy('c0', true);
    expect(await hub.conditionOf('c1', 'Configured')).toBe(waiting);
    await manager.pass(25_000);
    expect(await hub.configsOf('c1')).toEqual([]);
    await manager.pass(6_000);
    expect(await hub.configsOf('c1')).toEqual(['d=h1']);
    await hub.deploy('c1', true);
    expect((await hub.progressions())[0]).toContain('2/2 progressing');
    await manager.pass(31_000);
    expect((await hub.progressions())[0]).toContain('2/2 completed');
  });

  it('[addons 55] counts clusters that do not have the add-on yet', async () => {
    await using manager = await startManager([]);
    const hub = hubOf(manager);
    await hub.select('p', ['late1', 'late2']);
    await hub.install([placement('p')]);
    expect(await hub.progressions()).toEqual([
      'selected clusters 2. configured addons 0/2 progressing..., 0 failed 0 timeout.',
    ]);
  });

  it('[addons 57] lets the later of two placements configure a cluster that both select', async () => {
    await using manager = await startManager(['c0', 'c1', 'c2']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0', 'c1']);
    await hub.select('q', ['c1', 'c2']);
    await hub.install([placement('p', { configs: [config('a')] }), placement('q', { configs: [config('b')] })]);
    await hub.hash({ a: 'h1', b: 'h2' });
    expect([await hub.configsOf('c0'), await hub.configsOf('c1'), await hub.configsOf('c2')]).toEqual([
      ['a=h1'],
      ['b=h2'],
      ['b=h2'],
    ]);
    for (const cluster of ['c0', 'c1', 'c2']) await hub.deploy(cluster, true);
    expect(await hub.progressions()).toEqual([
      'selected clusters 2. configured addons 1/1 completed with no errors, 0 failed 0 timeout.',
      'selected clusters 2. configured addons 2/2 completed with no errors, 0 failed 0 timeout.',
    ]);
  });

  it('[addons 58] counts an add-on that overrides a kind as done, when the kind that it inherits is applied', async () => {
    await using manager = await startManager(['c0']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0']);
    await hub.install([placement('p', { configs: [config('d'), { ...thing, name: 't' }] })]);
    await hub.hash({ d: 'h1', t: 'h2' });
    await hub.changeAddOnStatus('c0', { supportedConfigs: [adc, thing] });
    await hub.changeAddOn('c0', { spec: { configs: [config('own')] } });
    const references = (await hub.addOn('c0')).status?.configReferences ?? [];
    const hashed = references.map(({ desiredConfig, ...reference }) => ({
      ...reference,
      desiredConfig: { ...desiredConfig, specHash: desiredConfig?.specHash || 'h3' },
    }));
    await hub.changeAddOnStatus('c0', { configReferences: hashed });
    await hub.deploy('c0', true);
    expect((await hub.progressions())[0]).toContain('1/1 completed');
    await hub.hash({ d: 'h1', t: 'h9' });
    expect((await hub.progressions())[0]).toContain('1/1 progressing');
  });

  it('[addons 59] stays in progress while an add-on has a configuration that it does not support', async () => {
    await using manager = await startManager(['c0']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0']);
    await hub.install([placement('p', { configs: [config('d')] })]);
    await hub.hash({ d: 'h1' });
    await hub.changeAddOn('c0', { spec: { configs: [{ ...thing, name: 't' }] } });
    await hub.deploy('c0', true);
    expect((await hub.progressions())[0]).toContain('1/1 progressing');
  });

  it('leaves an add-on that is being removed alone', async () => {
    await using manager = await startManager(['c0']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0']);
    await hub.install([placement('p', { configs: [config('p')] })], { defaultConfigs: [config('d')] });
    await hub.hash({ p: 'h1', d: 'h2' });
    await hub.changeAddOn('c0', { metadata: { finalizers: ['example.com/hook'] } });
    await hub.select('p', []);
    await hub.hash({ p: 'h3', d: 'h4' });
    expect(await hub.configsOf('c0')).toEqual(['p=h1']);
  });
});
