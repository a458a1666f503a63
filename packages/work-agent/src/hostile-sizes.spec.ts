import type { ManifestConditionRule, ManifestFeedbackRule } from '@flotilla/api-types';
import { acceptableMs, longestTurn } from '@flotilla/rules/testing';
import { describe, expect, it } from 'vitest';
import { reportLimitsOf } from './config/report-limits.ts';
import { createIgnoreFields, type IgnoreField } from './ignore-fields/ignore-fields.ts';
import type { Manifest } from './manifest.ts';
import { createWorkRules, rulesKeyOf } from './rules.ts';
import { intentOf } from './work/intent.ts';

const rules = createWorkRules({ rawJson: true, maxJsonRawLength: 1024 });
const object: Manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'cm' } };
const feedback = (count: number, path: string): ManifestFeedbackRule[] => [
  { type: 'JSONPaths', jsonPaths: Array.from({ length: count }, (_, index) => ({ name: `p${index}`, path })) },
];
const conditionRules = (count: number, messageExpression = ''): ManifestConditionRule[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ type: 'CEL', condition: `Rule${index}`, celExpressions: ['true'], messageExpression },
  }));
const present = (fields: Omit<IgnoreField, 'condition'>): IgnoreField[] => [{ condition: 'OnSpokePresent', ...fields }];
const union = `[${Array.from({ length: 1000 }, () => "'x'").join(',')}]`;

describe('as many rules as a work has room for', () => {
  const ignore = (fields: IgnoreField[], of: Manifest = object) =>
    createIgnoreFields()(of, fields).catch((error: Error) => error);
  const list = { ...object, list: Array.from({ length: 200_000 }, () => 1) };

  it.each<[string, () => Promise<unknown>]>([
    ['short paths of feedback', () => rules.observe(object, { feedbackRules: feedback(40_000, '.kind') })],
    ['long paths of feedback', () => rules.observe(object, { feedbackRules: feedback(300, union) })],
    [
      'well-known values',
      () =>
        rules.observe(
          { ...object, apiVersion: 'apps/v1', kind: 'Deployment' },
          { feedbackRules: Array.from({ length: 20_000 }, () => ({ type: 'WellKnownStatus' as const })) },
        ),
    ],
    ['condition rules', () => rules.observe(object, { conditionRules: conditionRules(10_000) })],
    ['ignored paths', () => ignore(present({ jsonPaths: Array.from({ length: 300 }, () => '.b'.repeat(2000)) }))],
    [
      'ignored pointers',
      () => ignore(present({ jsonPointers: Array.from({ length: 100_000 }, () => '/list/0') }), list),
    ],
  ])('do not hold up the event loop: %s', async (_, run) => {
    expect(await longestTurn(run)).toBeLessThan(acceptableMs);
  });

  it('report the pointer that used up the budget', async () => {
    const fields = present({ jsonPointers: Array.from({ length: 100_000 }, () => '/list/0') });
    expect(await ignore(fields, list)).toMatchObject({
      message: expect.stringMatching("^JSON Pointer error in '/list/0': the paths of this object visit more than"),
    });
  });
});

describe('rules that are for thousands of manifests', () => {
  const limits = reportLimitsOf(5000);

  it('are remembered with each manifest by a short name', () => {
    const feedbackRules = feedback(1000, '.metadata.name');
    expect(rulesKeyOf({ feedbackRules, conditionRules: conditionRules(1000) }).length).toBeLessThan(200);
    const ignoreFields = present({ jsonPaths: Array.from({ length: 1000 }, () => '.metadata.name') });
    const strategy = { type: 'ServerSideApply' as const, serverSideApply: { ignoreFields } };
    expect(intentOf('digest', strategy, []).length).toBeLessThan(200);
    expect(rulesKeyOf({ feedbackRules })).toBe(rulesKeyOf({ feedbackRules: structuredClone(feedbackRules) }));
    expect(rulesKeyOf({ feedbackRules })).not.toBe(rulesKeyOf({ feedbackRules: feedback(1000, '.kind') }));
  });

  it('report as many values of each as the status may have room for, and say that there are more', async () => {
    const { values, errors } = await rules.observe(object, { feedbackRules: feedback(1000, '.kind') }, { limits });
    expect(values).toHaveLength(20);
    expect(errors).toEqual([
      'only the first 20 values of a manifest of this work are reported: remove paths, or split the work',
    ]);
    const alone = await rules.observe(object, { feedbackRules: feedback(1000, '.kind') });
    expect([alone.values.length, alone.errors]).toEqual([1000, []]);
  });

  it('keep no more of their errors than a condition has room for', async () => {
    const { errors } = await rules.observe(object, { feedbackRules: feedback(1000, `.${'['.repeat(1000)}`) });
    expect(errors.join('').length).toBeLessThan(9000);
  });

  const notEvaluated = {
    type: 'Rule20',
    status: 'Unknown',
    reason: 'ConditionRuleInvalid',
    message: 'only the first 20 rules of a manifest of this work are evaluated: remove rules, or split the work',
  };

  it('report as many conditions and letters of each, and name what is left out', async () => {
    const message = `"${'a'.repeat(500)}"`;
    const { conditions, cutAt } = await rules.observe(
      object,
      { conditionRules: conditionRules(1000, message) },
      { limits },
    );
    expect(conditions).toHaveLength(21);
    expect(conditions.at(-1)).toEqual(notEvaluated);
    const messages = conditions.slice(0, 20).map((condition) => condition.message);
    expect(messages.slice(0, 8)).toEqual(Array.from({ length: 8 }, () => 'a'.repeat(500)));
    const why = 'the messages of a manifest of this work have at most 4096 characters: shorten them, or split the work';
    expect(messages.slice(8)).toEqual([`${'a'.repeat(96)}… (${why})`, ...Array.from({ length: 11 }, () => '')]);
    expect(cutAt).toBe(4096);
  });

  it('report the same number of conditions of an object that must not be read', () => {
    const refused = rules.refuse({ conditionRules: conditionRules(1000) }, 'no', limits).conditions;
    expect(refused).toHaveLength(21);
    expect(refused.slice(19)).toEqual([expect.objectContaining({ type: 'Rule19', message: 'no' }), notEvaluated]);
    expect(rules.refuse({ conditionRules: conditionRules(20) }, 'no', limits).conditions).toHaveLength(20);
  });

  it('report no message that is longer than a condition has room for', async () => {
    const long = conditionRules(2, `"${'a'.repeat(40_000)}"`);
    const { conditions } = await rules.observe(
      object,
      { conditionRules: long },
      { limits: { reports: 20, letters: 65_500 } },
    );
    expect(conditions.map((condition) => condition.message.length)).toEqual([32_768, 32_768]);
  });
});
