import { Label } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { config, hubOf, placement } from '../fixtures/hub.ts';
import { startManager } from '../fixtures/running-manager.ts';

describe('a placement that cannot be rolled out', () => {
  const two = [placement('p', { configs: [config('a')] }), placement('q', { configs: [config('b')] })];

  it('[addons Q5] is named in its own progression when it does not exist, and the others go on', async () => {
    await using manager = await startManager(['c1']);
    const hub = hubOf(manager);
    await hub.select('q', ['c1']);
    await hub.install(two);
    await hub.hash({ a: 'h1', b: 'h2' });
    expect(await hub.configsOf('c1')).toEqual(['b=h2']);
    expect((await hub.progressions())[0]).toBe(
      'selected clusters 0. configured addons 0/0 progressing..., 0 failed 0 timeout. The rollout cannot go on: there is no placement ns/p',
    );
  });

  it('[addons Q5] keeps its clusters as they are when a decision has no group, and says so', async () => {
    await using manager = await startManager(['c0', 'c1']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0']);
    await hub.select('q', ['c1']);
    await hub.install(two, { defaultConfigs: [config('d')] });
    await hub.hash({ a: 'h1', b: 'h2' });
    const labels = { [Label.DecisionGroupIndex]: 'first' };
    await hub.decisions.patch('ns/p-decision-1', { type: 'merge', body: { metadata: { labels } } });
    await hub.hash({ a: 'h3', b: 'h4' });
    expect([await hub.configsOf('c0'), await hub.configsOf('c1')]).toEqual([['a=h1'], ['b=h4']]);
    expect((await hub.progressions())[0]).toMatch(/The rollout cannot go on: incorrect group index.*"first"/);
  });

  it('[addons 49] is named when its strategy cannot be read', async () => {
    await using manager = await startManager(['c0', 'c1']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0']);
    await hub.select('q', ['c1']);
    const rolloutStrategy = { type: 'Progressive', progressive: { progressDeadline: '5hours' } };
    await hub.install([
      placement('p', { rolloutStrategy, configs: [config('a')] }),
      placement('q', { configs: [config('b')] }),
    ]);
    await hub.hash({ a: 'h1', b: 'h2' });
    expect([await hub.configsOf('c0'), await hub.configsOf('c1')]).toEqual([[], ['b=h2']]);
    expect((await hub.progressions())[0]).toMatch(/The rollout cannot go on: .*5hours/);
  });

  it('[addons Q16] does not wait for clusters that a later placement configures', async () => {
    await using manager = await startManager(['c0', 'c1', 'c2']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0'], ['c1']);
    await hub.select('q', ['c0']);
    const rolloutStrategy = { type: 'ProgressivePerGroup', progressivePerGroup: {} };
    await hub.install([
      placement('p', { rolloutStrategy, configs: [config('a')] }),
      placement('q', { configs: [config('b')] }),
    ]);
    await hub.hash({ a: 'h1', b: 'h2' });
    expect(await hub.configsOf('c1')).toEqual(['a=h1']);
    await hub.deploy('c1', true);
    expect((await hub.progressions())[0]).toBe(
      'selected clusters 2. configured addons 1/1 completed with no errors, 0 failed 0 timeout.',
    );
  });
});
