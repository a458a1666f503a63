import type { ManagedClusterSet, Placement } from '@flotilla/api-types';
import { acceptableMs, longestTurn } from '@flotilla/rules/testing';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { newCluster } from '../fixtures/objects.ts';
import { PlacementEngine } from './engine.ts';

const all: ManagedClusterSet = {
  metadata: { name: 'all' },
  spec: { clusterSelector: { selectorType: 'LabelSelector', labelSelector: {} } },
};
const list = `[${Array.from({ length: 99 }, (_, index) => index).join(',')}]`;
/** Some hundred thousand units. */
const heavy = `${list}.all(a, ${list}.all(b, a + b >= 0)) && managedCluster.metadata.labels["env"] == "prod"`;
/** More than an expression may cost. */
const hostile = `${list}.all(a, ${list}.all(b, ${list}.all(c, managedCluster.metadata.name != "")))`;

const placementOf = (name: string, celExpressions: readonly string[], namespace = 'team'): Placement => ({
  metadata: { namespace, name },
  spec: { predicates: [{ requiredClusterSelector: { celSelector: { celExpressions: [...celExpressions] } } }] },
});

describe('expressions of placements', () => {
  let engine: PlacementEngine;
  const dirty = new Set<string>();

  /** Schedules as the controller does, until there is a result. */
  const whenScheduled = (key: string) =>
    vi.waitFor(
      () => {
        const result = engine.schedule(key);
        if (!result) throw new Error(`${key} is not yet scheduled`);
        return result;
      },
      { timeout: 50_000, interval: 1 },
    );

  beforeEach(() => {
    dirty.clear();
    engine = new PlacementEngine({ now: 0, onDirty: (key) => dirty.add(key) });
    engine.setSet(all);
    engine.setBinding('team', 'all');
    for (let index = 0; index < 50; index++) {
      engine.setCluster(newCluster(`c${index}`, { labels: { env: index % 2 ? 'prod' : 'dev' } }));
    }
  });

  it('that take long are evaluated later, with the result that they have at once', async () => {
    engine.setPlacement(placementOf('p', [heavy]));
    expect(engine.schedule('team/p')).toBeUndefined();
    dirty.clear();
    const result = await whenScheduled('team/p');
    expect(dirty).toContain('team/p');
    expect(result.selected).toHaveLength(25);
    const atOnce = new PlacementEngine({ now: 0, onDirty: () => {}, atOnce: true });
    atOnce.setSet(all);
    atOnce.setBinding('team', 'all');
    for (let index = 0; index < 50; index++) {
      atOnce.setCluster(newCluster(`c${index}`, { labels: { env: index % 2 ? 'prod' : 'dev' } }));
    }
    atOnce.setPlacement(placementOf('p', [heavy]));
    expect(atOnce.schedule('team/p')?.selected).toEqual(result.selected);
  });

  it('follow a cluster that changes, joins or leaves', async () => {
    engine.setPlacement(placementOf('p', [heavy]));
    await whenScheduled('team/p');
    engine.setCluster(newCluster('c0', { labels: { env: 'prod' } }));
    engine.setCluster(newCluster('new', { labels: { env: 'prod' } }));
    engine.deleteCluster('c1');
    await vi.waitFor(async () => {
      const { selected } = await whenScheduled('team/p');
      expect(selected).toEqual(expect.arrayContaining(['c0', 'new']));
      expect(selected).not.toContain('c1');
    }, 50_000);
  });

  it('that cost more than a placement may make it misconfigured, and no other', async () => {
    engine.setPlacement(placementOf('hostile', [hostile]));
    engine.setPlacement(placementOf('good', ['managedCluster.metadata.labels["env"] == "prod"']));
    expect((await whenScheduled('team/good')).selected).toHaveLength(25);
    const { status } = await whenScheduled('team/hostile');
    expect(status.code).toBe('Misconfigured');
    expect(status.reasons[0]).toContain(
      'evaluating the CEL expressions for 50 clusters costs more than 10050000 units',
    );
    expect(status.reasons[0]).toContain(hostile.slice(0, 100));
  });

  it('are not evaluated for clusters of sets that are not bound to the namespace', () => {
    engine.setPlacement(placementOf('q', [hostile], 'nobody'));
    expect(engine.schedule('nobody/q')).toMatchObject({ status: { code: 'Success' }, selected: [] });
  });

  it('hold up the event loop no longer than a server may be silent', async () => {
    let round = 0;
    const scheduled = async (): Promise<void> => {
      round += 1;
      const key = `team/p${round}`;
      engine.setPlacement(placementOf(`p${round}`, [heavy, ...Array.from({ length: 9 }, () => hostile)]));
      await whenScheduled(key);
      engine.deletePlacement(key);
    };
    expect(await longestTurn(scheduled)).toBeLessThan(acceptableMs);
  });

  it('are traced when they are evaluated', async () => {
    const trace = await engine.whenTraced(placementOf('p', [heavy]));
    expect(trace.filters[0]?.clusters).toHaveLength(25);
  });
});
