import { Annotation } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { hubOf, placement } from '../fixtures/hub.ts';
import { startManager } from '../fixtures/running-manager.ts';

const hosting = Annotation.HostingClusterName;

describe('the annotations of a cluster', () => {
  const prepare = async (manager: Awaited<ReturnType<typeof startManager>>, strategy: 'Placements' | 'Manual') => {
    const hub = hubOf(manager);
    await hub.select('p', ['c0']);
    const placements = strategy === 'Placements' ? [placement('p')] : [];
    await hub.create({ installStrategy: { type: strategy, placements } });
    if (strategy === 'Manual') await hub.mcas.create({ metadata: { namespace: 'c0', name: 'hello' }, spec: {} });
    await manager.quiet();
    const annotate = async (annotations: object) => {
      await hub.clusters.patch('c0', { type: 'merge', body: { metadata: { annotations } } });
      await manager.quiet();
    };
    const annotations = async () => (await hub.addOn('c0')).metadata?.annotations ?? {};
    return { hub, annotate, annotations };
  };

  it('[addons 18, Q3] are followed by its add-ons, which keep their own', async () => {
    await using manager = await startManager(['c0']);
    const { hub, annotate, annotations } = await prepare(manager, 'Placements');
    const own = { other: 'x', [Annotation.AddOnValues]: '{}', [Annotation.LegacyInstallNamespace]: 'here' };
    await hub.changeAddOn('c0', { metadata: { annotations: own } });
    await annotate({ [hosting]: 'a', foreign: 'y' });
    expect(await annotations()).toEqual({ ...own, [hosting]: 'a' });
    await annotate({ [hosting]: 'b' });
    expect(await annotations()).toEqual({ ...own, [hosting]: 'b' });
    await annotate({ [hosting]: null });
    expect(await annotations()).toEqual(own);
  });

  it('[addons 19] are not followed by add-ons that users install', async () => {
    await using manager = await startManager(['c0']);
    const { annotate, annotations } = await prepare(manager, 'Manual');
    await annotate({ [hosting]: 'a' });
    expect(await annotations()).toEqual({});
  });

  it('are followed after a restart too, without taking what a user put on the add-on', async () => {
    await using manager = await startManager(['c0']);
    const { hub, annotate, annotations } = await prepare(manager, 'Placements');
    await hub.changeAddOn('c0', { metadata: { annotations: { [hosting]: 'mine' } } });
    await manager.restart();
    expect(await annotations()).toEqual({ [hosting]: 'mine' });
    manager.refuse('managedclusteraddons');
    await annotate({ [hosting]: 'theirs' });
    expect(await annotations()).toEqual({ [hosting]: 'mine' });
    manager.refuse(undefined);
    await manager.restart();
    expect(await annotations()).toEqual({ [hosting]: 'theirs' });
    manager.takeWrites();
    await manager.restart();
    expect(manager.takeWrites()).toEqual([]);
  });
});
