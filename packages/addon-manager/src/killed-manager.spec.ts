import { describe, expect, it } from 'vitest';
import { config, hubOf, placement } from './fixtures/hub.ts';
import { type RunningManager, startManager } from './fixtures/running-manager.ts';

const rolloutStrategy = { type: 'Progressive', progressive: { maxConcurrency: 1 } };

/** Installs, rolls a configuration out over two clusters, and takes one of them away. */
async function runThrough(manager: RunningManager, restart: () => Promise<void>): Promise<unknown> {
  const hub = hubOf(manager);
  await hub.select('p', ['c0', 'c1']);
  await hub.install([placement('p', { rolloutStrategy })], { defaultConfigs: [config('d')] });
  await restart();
  await hub.hash({ d: 'h1' });
  await restart();
  for (const cluster of ['c0', 'c1']) {
    await hub.deploy(cluster, true);
    await restart();
  }
  await hub.changeAddOnStatus('c1', { registrations: [{ type: 'kubeClient', kubeClient: { driver: 'token' } }] });
  await restart();
  await hub.select('p', ['c1']);
  await restart();
  const { spec, status } = await hub.addOn('c1');
  return {
    installed: await hub.installed(),
    progressions: await hub.progressions(),
    spec,
    references: status?.configReferences,
    conditions: (status?.conditions ?? [])
      .map(({ type, status: state, reason }) => `${type} ${state} ${reason}`)
      .sort(),
  };
}

describe('a manager that is killed', () => {
  it('comes to the same end, whichever write was its last before each restart', async () => {
    await using undisturbed = await startManager(['c0', 'c1']);
    const expected = await runThrough(undisturbed, async () => {});
    const most = undisturbed.takeWrites().length;
    expect(most).toBeGreaterThan(8);
    expect(expected).toMatchObject({ installed: ['c1'], progressions: [expect.stringContaining('1/1 completed')] });
    for (let writes = 0; writes < 4; writes++) {
      await using manager = await startManager(['c0', 'c1']);
      manager.killAfter(writes);
      const end = await runThrough(manager, async () => {
        // Another manager comes, finishes what is left of this step, and is killed in the next.
        await manager.restart();
        manager.killAfter(writes);
      });
      expect(end, `killed after ${writes} writes`).toEqual(expected);
    }
  });
});
