import type { ManifestCondition } from '@flotilla/api-types';
import type { Condition } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { aggregateRuleConditions } from './aggregate.ts';

const before = '2026-01-01T00:00:00Z';
const moment = { generation: 2, now: Date.parse('2026-01-02T00:00:00Z') };

const ruled = (type: string, status: Condition['status'], message = `${type} ${status}`): Condition => ({
  type,
  status,
  reason: 'ConditionRuleEvaluated',
  message,
  observedGeneration: 2,
  lastTransitionTime: before,
});

const available: Condition = {
  type: 'Available',
  status: 'True',
  reason: 'ResourcesAvailable',
  message: '',
  lastTransitionTime: before,
};

const manifest = (...conditions: Condition[]): ManifestCondition => ({ resourceMeta: { ordinal: 0 }, conditions });

const statuses = (...manifests: ManifestCondition[]) =>
  aggregateRuleConditions([available], manifests, moment).map(({ type, status }) => [type, status]);

describe('conditions of rules at work level', () => {
  it('[work 18.K-153] are false while one manifest is not complete, and true when all are', () => {
    const not = aggregateRuleConditions(
      [],
      [manifest(ruled('Complete', 'True')), manifest(ruled('Complete', 'False'))],
      moment,
    );
    expect(not).toEqual([
      {
        type: 'Complete',
        status: 'False',
        reason: 'ConditionRulesAggregated',
        message: 'Aggregated from 2 manifest conditions',
        observedGeneration: 2,
        lastTransitionTime: '2026-01-02T00:00:00Z',
      },
    ]);
    const all = [manifest(ruled('Complete', 'True')), manifest(ruled('Complete', 'True'))];
    expect(aggregateRuleConditions(not, all, moment)).toMatchObject([{ status: 'True', observedGeneration: 2 }]);
  });

  it('are unknown when one is unknown and none is false', () => {
    expect(statuses(manifest(ruled('A', 'True')), manifest(ruled('A', 'Unknown')))).toContainEqual(['A', 'Unknown']);
    expect(statuses(manifest(ruled('A', 'False')), manifest(ruled('A', 'Unknown')))).toContainEqual(['A', 'False']);
  });

  it('[work 18.K-155] say that a work progresses while any manifest does', () => {
    const progressing = (...all: Condition['status'][]) =>
      statuses(...all.map((status) => manifest(ruled('Progressing', status))))[1]?.[1];
    expect(progressing('True', 'False')).toBe('True');
    expect(progressing('Unknown', 'False')).toBe('Unknown');
    expect(progressing('False', 'False')).toBe('False');
  });

  it('have the message of the only manifest that has them', () => {
    const [, complete] = aggregateRuleConditions(
      [available],
      [manifest(ruled('Complete', 'True', 'Job is finished')), manifest(available)],
      moment,
    );
    expect(complete?.message).toBe('Job is finished');
  });

  it('[work 18.K-154] go when their rule is gone, and others stay', () => {
    const old: Condition = {
      ...ruled('Complete', 'True'),
      reason: 'ConditionRulesAggregated',
      observedGeneration: 1,
    };
    expect(aggregateRuleConditions([available, old], [manifest()], moment)).toEqual([available]);
  });

  it('keep their time when a new generation changes nothing about them', () => {
    const old: Condition = {
      ...ruled('Complete', 'True'),
      reason: 'ConditionRulesAggregated',
      observedGeneration: 1,
    };
    expect(aggregateRuleConditions([old, available], [manifest(ruled('Complete', 'True'))], moment)).toEqual([
      { ...old, observedGeneration: 2 },
      available,
    ]);
  });

  it('are sorted by type and leave out what no rule gave', () => {
    expect(statuses(manifest(ruled('B', 'True'), available, ruled('A', 'False')))).toEqual([
      ['Available', 'True'],
      ['A', 'False'],
      ['B', 'True'],
    ]);
  });
});
