import fc from 'fast-check';
import { expect, it } from 'vitest';
import { beginning, type Change, change, start } from '../../fixtures/changes.ts';
import { type ReferenceResult, referenceSchedule } from '../../fixtures/reference.ts';
import { decisionsOfOthers, emptyWorld, type World } from '../../fixtures/world.ts';
import { PlacementEngine } from './engine.ts';
import type { ScheduleResult } from './schedule-result.ts';

/** A world and an engine that sees every change of it. */
class Pair {
  readonly world: World = emptyWorld();
  readonly dirty = new Set<string>();
  now = start;
  readonly engine = new PlacementEngine({ now: start, onDirty: (key) => this.dirty.add(key), atOnce: true });
  /** Decisions of others as they were when a placement was last asked for: their changes alone ask for none. */
  readonly #others = new Map<string, ReadonlyMap<string, number>>();

  apply(next: Change): void {
    const { world, engine } = this;
    switch (next.kind) {
      case 'cluster':
        world.clusters.set(next.cluster.metadata?.name ?? '', next.cluster);
        engine.setCluster(next.cluster);
        break;
      case 'no-cluster':
        world.clusters.delete(next.name);
        engine.deleteCluster(next.name);
        break;
      case 'set':
        world.sets.set(next.set.metadata?.name ?? '', next.set);
        engine.setSet(next.set);
        break;
      case 'no-set':
        world.sets.delete(next.name);
        engine.deleteSet(next.name);
        break;
      case 'binding':
        world.bindings.add(`${next.namespace}/${next.name}`);
        engine.setBinding(next.namespace, next.name);
        break;
      case 'no-binding':
        world.bindings.delete(`${next.namespace}/${next.name}`);
        engine.deleteBinding(next.namespace, next.name);
        break;
      case 'score': {
        const score = {
          metadata: { namespace: next.cluster, name: next.resource },
          status: { scores: [{ name: 'load', value: next.value }], validUntil: next.validUntil },
        };
        world.scores.set(`${next.cluster}/${next.resource}`, score);
        engine.setScore(score);
        break;
      }
      case 'no-score':
        world.scores.delete(`${next.cluster}/${next.resource}`);
        engine.deleteScore(next.cluster, next.resource);
        break;
      case 'placement': {
        const { namespace, name } = next.placement.metadata ?? {};
        world.placements.set(`${namespace}/${name}`, next.placement);
        engine.setPlacement(next.placement);
        break;
      }
      case 'no-placement':
        world.placements.delete(next.key);
        engine.deletePlacement(next.key);
        break;
      case 'page':
        this.#page(next.placement, `${next.placement}-decision-${next.page}`, next.clusters);
        break;
      case 'write':
        this.#write(next.placement);
        break;
      case 'time':
        this.now += next.seconds * 1000;
        engine.advance(this.now);
        break;
    }
  }

  #page(placement: string, page: string, clusters: readonly string[]): void {
    this.world.pages.set(page, { placement, clusters });
    this.engine.decisions.setPage(placement, page, clusters);
  }

  /** As the controller does: others see the new decisions before the server has them all. */
  #write(key: string): void {
    const result = this.engine.schedule(key);
    if (!result?.decisions) return;
    const namespace = key.split('/', 1)[0];
    const wanted = result.decisions.pages.map(({ name, clusters }) => ({ page: `${namespace}/${name}`, clusters }));
    const own = [...this.world.pages].filter(([, { placement }]) => placement === key).map(([page]) => page);
    const redundant = own.filter((page) => wanted.every((each) => each.page !== page));
    this.engine.decisions.assume(key, [...wanted, ...redundant.map((page) => ({ page, clusters: [] }))]);
    const pages = new Set<string>();
    for (const { name, clusters } of result.decisions.pages) {
      const page = `${namespace}/${name}`;
      pages.add(page);
      this.#page(key, page, this.engine.namesOf(clusters));
    }
    for (const [page, { placement }] of this.world.pages) {
      if (placement !== key || pages.has(page)) continue;
      this.world.pages.delete(page);
      this.engine.decisions.deletePage(page);
    }
    this.engine.decisions.release(key);
  }

  /** Compares every placement with the reference. */
  compare(): void {
    for (const key of this.world.placements.keys()) {
      if (this.dirty.delete(key) || !this.#others.has(key)) this.#others.set(key, decisionsOfOthers(this.world, key));
      const result = this.engine.schedule(key);
      expect(result && plain(this.engine, result), key).toEqual(
        referenceSchedule(this.world, key, this.now, this.#others.get(key) ?? new Map()),
      );
    }
  }

  results(): Map<string, ScheduleResult | undefined> {
    return new Map([...this.world.placements.keys()].map((key) => [key, this.engine.schedule(key)]));
  }
}

const plain = (engine: PlacementEngine, result: ScheduleResult): ReferenceResult => {
  const { status, validSets, eligibleSets, hasCandidates, selected, unscheduled, decisions } = result;
  const text = `${status.plugin}:${status.reasons.join(', ')}`;
  const clustersOf = new Map(decisions?.pages.map(({ name, clusters }) => [name, clusters]));
  return {
    misconfigured: status.code === 'Misconfigured' ? text : undefined,
    warning: status.code === 'Warning' ? text : undefined,
    validSets,
    eligibleSets,
    hasCandidates,
    selected,
    unscheduled,
    groups: (decisions?.groups ?? []).map(({ decisionGroupName: name = '', decisions: pages = [] }) => ({
      name,
      clusters: pages.flatMap((page) => engine.namesOf(clustersOf.get(page) ?? [])),
    })),
  };
};

it('selects what the rules say from scratch, after every random change', () => {
  fc.assert(
    fc.property(beginning, fc.array(change, { minLength: 100, maxLength: 100 }), (first, changes) => {
      const pair = new Pair();
      for (const each of first) pair.apply(each);
      pair.compare();
      for (const each of changes) {
        const before = each.kind === 'time' ? pair.results() : undefined;
        pair.apply(each);
        pair.compare();
        // Time alone changes a result only when the result said so.
        for (const [key, result] of before ?? []) {
          const next = pair.engine.schedule(key);
          if (next === result || (result?.recheckAt ?? Infinity) <= pair.now) continue;
          expect(next && plain(pair.engine, next), key).toEqual(result && plain(pair.engine, result));
        }
      }
    }),
  );
}, 1_200_000);

it('selects the same whatever the history was', () => {
  fc.assert(
    fc.property(beginning, fc.array(change, { maxLength: 60 }), (first, changes) => {
      const pair = new Pair();
      for (const each of [...first, ...changes]) pair.apply(each);
      const fresh = new PlacementEngine({ now: pair.now, onDirty: () => {}, atOnce: true });
      for (const cluster of pair.world.clusters.values()) fresh.setCluster(cluster);
      for (const placement of pair.world.placements.values()) fresh.setPlacement(placement);
      for (const [page, { placement, clusters }] of pair.world.pages)
        fresh.decisions.setPage(placement, page, clusters);
      for (const score of pair.world.scores.values()) fresh.setScore(score);
      for (const set of pair.world.sets.values()) fresh.setSet(set);
      for (const binding of pair.world.bindings) {
        const [namespace = '', name = ''] = binding.split('/');
        fresh.setBinding(namespace, name);
      }
      for (const key of pair.world.placements.keys()) {
        // Decisions of others may have changed since; a new engine sees them all.
        const others = decisionsOfOthers(pair.world, key);
        const result = fresh.schedule(key);
        expect(result && plain(fresh, result)).toEqual(referenceSchedule(pair.world, key, pair.now, others));
      }
    }),
  );
}, 1_200_000);
