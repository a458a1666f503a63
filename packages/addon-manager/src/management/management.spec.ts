import { placementDecisions } from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import { describe, expect, it } from 'vitest';
import { hubOf, placement } from '../fixtures/hub.ts';
import { startManager } from '../fixtures/running-manager.ts';

const hosting = 'addon.open-cluster-management.io/hosting-cluster-name';

describe('the installation of an add-on', () => {
  it.each([
    ['no strategy', {}],
    ['the strategy Manual', { installStrategy: { type: 'Manual' as const } }],
  ])('[addons 11] does nothing with %s', async (_, spec) => {
    await using manager = await startManager(['c0']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0']);
    await hub.create(spec);
    expect(await hub.installed()).toEqual([]);
  });

  it('[addons 12] installs nothing while the placement is missing or selects nothing', async () => {
    await using manager = await startManager(['c0']);
    const hub = hubOf(manager);
    await hub.install([placement('p')]);
    expect(await hub.installed()).toEqual([]);
    await hub.select('p', []);
    expect(await hub.installed()).toEqual([]);
    await hub.select('p', ['c0']);
    expect(await hub.installed()).toEqual(['c0']);
  });

  it('[addons 13, 14] follows the decisions, and restores an add-on that is still selected', async () => {
    await using manager = await startManager(['c0', 'c1', 'c2']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0', 'c1']);
    await hub.install([placement('p')]);
    expect(await hub.installed()).toEqual(['c0', 'c1']);
    await hub.select('p', ['c1', 'c2']);
    expect(await hub.installed()).toEqual(['c1', 'c2']);
    await hub.mcas.delete('c1/hello');
    await manager.quiet();
    expect(await hub.installed()).toEqual(['c1', 'c2']);
  });

  it('[addons 15] makes one add-on on each cluster of the union of its placements', async () => {
    await using manager = await startManager(['c0', 'c1', 'c2']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0', 'c1']);
    await hub.select('q', ['c1', 'c2']);
    await hub.install([placement('p'), placement('q')]);
    expect(await hub.installed()).toEqual(['c0', 'c1', 'c2']);
    expect(manager.takeWrites().filter((write) => write.startsWith('POST'))).toHaveLength(3);
  });

  it('[addons 16, 17] gives an add-on the add-on annotations of its cluster, and no others', async () => {
    await using manager = await startManager(['c0', 'c1']);
    const hub = hubOf(manager);
    const annotate = (name: string, annotations: object) =>
      hub.clusters.patch(name, { type: 'merge', body: { metadata: { annotations } } });
    await annotate('c0', { [hosting]: 'c1', other: 'x' });
    await annotate('c1', { other: 'x' });
    await hub.select('p', ['c0', 'c1']);
    await hub.install([placement('p')]);
    expect((await hub.addOn('c0')).metadata?.annotations).toEqual({ [hosting]: 'c1' });
    expect((await hub.addOn('c1')).metadata?.annotations).toBeUndefined();
  });

  it('waits for a cluster that is decided on before it is there, without trying again', async () => {
    await using manager = await startManager(['c0']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0', 'late']);
    await hub.install([placement('p')]);
    expect(await hub.installed()).toEqual(['c0']);
    const { namespaces } = await import('@flotilla/kube/kinds');
    await manager.plane.client.resource(namespaces).create({ metadata: { name: 'late' } });
    await hub.clusters.create({ metadata: { name: 'late' } });
    await manager.quiet();
    expect(await hub.installed()).toEqual(['c0', 'late']);
  });

  it('[addons Q2] takes the add-on from the clusters of a placement that is deleted', async () => {
    await using manager = await startManager(['c0']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0']);
    await hub.install([placement('p')]);
    await hub.placements.delete('ns/p');
    await manager.quiet();
    expect(await hub.installed()).toEqual([]);
  });

  it('removes nothing while decisions are missing, and reports it with both numbers until they are back', async () => {
    await using manager = await startManager(['c0', 'c1']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0', 'c1']);
    await hub.install([placement('p')]);
    await manager.plane.client.resource(placementDecisions).delete('ns/p-decision-1');
    await manager.quiet();
    expect(await hub.installed()).toEqual(['c0', 'c1']);
    const held = async () => {
      const [progression] = (await hub.cmas.get('hello')).status?.installProgressions ?? [];
      return findCondition(progression?.conditions, 'RemovalHeld');
    };
    expect(await held()).toBeUndefined();
    await manager.pass(5000);
    expect(await held()).toMatchObject({
      status: 'True',
      reason: 'DecisionsMissing',
      message: expect.stringContaining('decisions name 0 clusters, its status 2'),
    });

    const { resourceVersion } = (await hub.cmas.get('hello')).metadata ?? {};
    await manager.restart();
    await manager.pass(60_000);
    expect((await hub.cmas.get('hello')).metadata).toMatchObject({ resourceVersion });

    await hub.select('p', ['c1']);
    expect(await hub.installed()).toEqual(['c1']);
    expect(await held()).toMatchObject({ status: 'False', reason: 'NoRemovalHeld' });
  });

  it('keeps the add-ons when the strategy becomes Manual', async () => {
    await using manager = await startManager(['c0']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0']);
    await hub.install([placement('p')]);
    await hub.change({ spec: { installStrategy: { type: 'Manual', placements: null } } });
    expect(await hub.installed()).toEqual(['c0']);
  });

  it('installs on the other clusters when one refuses, and on that one when it does not refuse any more', async () => {
    await using manager = await startManager(['c0', 'c1', 'c2']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0', 'c1', 'c2']);
    manager.refuse('c1/managedclusteraddons');
    await hub.install([placement('p')]);
    expect(await hub.installed()).toEqual(['c0', 'c2']);
    manager.refuse(undefined);
    await manager.pass(1000);
    expect(await hub.installed()).toEqual(['c0', 'c1', 'c2']);
  });

  it.each(['self', ''])('[addons 21, Q1] leaves an add-on with the lifecycle "%s" to its author', async (lifecycle) => {
    await using manager = await startManager(['c0']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0']);
    await hub.create(
      { installStrategy: { type: 'Placements', placements: [placement('p')] } },
      { annotations: { 'addon.open-cluster-management.io/lifecycle': lifecycle } },
    );
    await hub.mcas.create({ metadata: { namespace: 'c0', name: 'hello' }, spec: {} });
    await manager.quiet();
    const { metadata, status } = await hub.addOn('c0');
    expect([metadata?.ownerReferences, status?.conditions, status?.configReferences]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('[addons 22] does not write the lifecycle annotation', async () => {
    await using manager = await startManager(['c0']);
    const hub = hubOf(manager);
    await hub.create({});
    expect((await hub.cmas.get('hello')).metadata?.annotations).toBeUndefined();
  });

  it('writes nothing when it starts again', async () => {
    await using manager = await startManager(['c0', 'c1']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0', 'c1']);
    await hub.install([placement('p')]);
    manager.takeWrites();
    await manager.restart();
    expect(manager.takeWrites()).toEqual([]);
  });
});
