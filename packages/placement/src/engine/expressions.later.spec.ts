import type { AddOnPlacementScore, ManagedClusterSet } from '@flotilla/api-types';
import { FakeClock } from '@flotilla/kube/testing';
import type { CelProgram } from '@flotilla/rules/cel';
import { RuleTaskError, ruleRunner } from '@flotilla/rules/runner';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newCluster } from '../fixtures/objects.ts';
import { PlacementEngine } from './engine.ts';

const all: ManagedClusterSet = {
  metadata: { name: 'all' },
  spec: { clusterSelector: { selectorType: 'LabelSelector', labelSelector: {} } },
};
const expression = 'managedCluster.scores("r").exists(s, s.value == 2)';
const scoreOf = (value: number): AddOnPlacementScore => ({
  metadata: { namespace: 'c0', name: 'r' },
  status: { scores: [{ name: 's', value }] },
});
const hasScore = ({ scoresOf }: CelProgram) => scoresOf?.('c0', 'r')?.some(({ value }) => Number(value) === 2) ?? false;

/** Lets promises that are settled go on. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('expressions that are evaluated later', () => {
  let engine: PlacementEngine;
  /** Ends the evaluations that have begun, in the order in which they began. */
  let ends: (() => void)[];
  let failure: Error | undefined;
  let clock: FakeClock;
  const dirty = new Set<string>();

  beforeEach(() => {
    ends = [];
    failure = undefined;
    clock = new FakeClock();
    dirty.clear();
    vi.spyOn(ruleRunner, 'tryEvaluate').mockReturnValue(undefined);
    vi.spyOn(ruleRunner, 'evaluate').mockImplementation(async (program) => {
      const value = hasScore(program);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (failure) throw failure;
      return value;
    });
    engine = new PlacementEngine({ now: 0, onDirty: (key) => dirty.add(key), clock });
    engine.setSet(all);
    engine.setBinding('team', 'all');
    engine.setCluster(newCluster('c0'));
    engine.setScore(scoreOf(1));
    engine.setPlacement({
      metadata: { namespace: 'team', name: 'p' },
      spec: { predicates: [{ requiredClusterSelector: { celSelector: { celExpressions: [expression] } } }] },
    });
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });

  const endNext = async () => {
    ends.shift()?.();
    await settle();
  };

  it('are evaluated again when a score changes meanwhile', async () => {
    expect(engine.schedule('team/p')).toBeUndefined();
    engine.setScore(scoreOf(2));
    await endNext();
    expect(engine.schedule('team/p')).toBeUndefined();
    await endNext();
    expect(engine.schedule('team/p')?.selected).toEqual(['c0']);
    expect(ruleRunner.evaluate).toHaveBeenCalledTimes(2);
  });

  it('are evaluated once when a placement is scheduled meanwhile', async () => {
    expect(engine.schedule('team/p')).toBeUndefined();
    expect(engine.schedule('team/p')).toBeUndefined();
    await endNext();
    expect(engine.schedule('team/p')?.selected).toEqual([]);
    expect(ruleRunner.evaluate).toHaveBeenCalledTimes(1);
  });

  it('take turns by the namespace of their placement, and wait no longer when that is deleted', () => {
    engine.setBinding('other', 'all');
    engine.setPlacement({
      metadata: { namespace: 'other', name: 'p' },
      spec: { predicates: [{ requiredClusterSelector: { celSelector: { celExpressions: [expression] } } }] },
    });
    engine.schedule('team/p');
    engine.schedule('other/p');
    const callers = vi.mocked(ruleRunner.evaluate).mock.calls.map(([, , , caller]) => caller);
    expect(callers.map((caller) => caller?.owner)).toEqual(['namespace team', 'namespace other']);
    engine.deletePlacement('team/p');
    expect(callers.map((caller) => caller?.signal?.aborted)).toEqual([true, false]);
  });

  describe('without an answer', () => {
    const timeout = new RuleTaskError('it did not end within 10000 ms', true);

    /** Lets the evaluation that has begun fail, and the time until the next one pass. */
    const failNext = async (ms: number) => {
      failure = timeout;
      await endNext();
      expect(ends, 'waits').toHaveLength(0);
      await clock.advance(ms);
      await settle();
      expect(ends, 'is tried again').toHaveLength(1);
    };

    it('keep the last one, and are tried again after a while', async () => {
      engine.setScore(scoreOf(2));
      engine.schedule('team/p');
      await endNext();
      expect(engine.schedule('team/p')?.selected).toEqual(['c0']);
      engine.setScore(scoreOf(1));
      for (const ms of [1000, 2000, 4000, 8000]) {
        await failNext(ms);
        expect(engine.schedule('team/p')).toMatchObject({ status: { code: 'Success' }, selected: ['c0'] });
      }
      failure = undefined;
      await endNext();
      expect(engine.schedule('team/p')?.selected).toEqual([]);
    });

    it('are a fault that names them when they fail again and again, until there is an answer', async () => {
      engine.setScore(scoreOf(2));
      engine.schedule('team/p');
      await failNext(1000);
      await failNext(2000);
      expect(engine.schedule('team/p')).toBeUndefined();
      dirty.clear();
      await failNext(4000);
      expect(dirty).toContain('team/p');
      const result = engine.schedule('team/p');
      expect(result).toMatchObject({ status: { code: 'Misconfigured', plugin: 'Predicate' }, decisions: undefined });
      expect(result?.status.reasons[0]).toContain(
        `the CEL expressions ${expression} have no answer for the cluster c0: it did not end within 10000 ms`,
      );
      dirty.clear();
      failure = undefined;
      await endNext();
      expect(dirty).toContain('team/p');
      expect(engine.schedule('team/p')).toMatchObject({ status: { code: 'Success' }, selected: ['c0'] });
    });

    it('are no fault any more when their cluster leaves', async () => {
      engine.schedule('team/p');
      for (const ms of [1000, 2000, 4000]) await failNext(ms);
      expect(engine.schedule('team/p')?.status.code).toBe('Misconfigured');
      dirty.clear();
      engine.deleteCluster('c0');
      expect(dirty).toContain('team/p');
      expect(engine.schedule('team/p')?.status.code).toBe('Success');
    });
  });
});
