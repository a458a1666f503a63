import type { ManifestConditionRule } from '@flotilla/api-types';
import type { CostLimits } from '@flotilla/rules/cel';
import { describe, expect, it } from 'vitest';
import type { Manifest } from '../manifest.ts';
import { createConditionRuleCompiler } from './condition-rules.ts';

const compile = createConditionRuleCompiler();

const object = (status: unknown, apiVersion = 'batch/v1', kind = 'Job'): Manifest => ({
  apiVersion,
  kind,
  metadata: { name: 'a' },
  ...(status !== undefined && { status }),
});

const cel = (expression: string | string[], rest: Partial<ManifestConditionRule> = {}): ManifestConditionRule => ({
  condition: 'Test',
  type: 'CEL',
  celExpressions: [expression].flat(),
  ...rest,
});

const wellKnown = (rest: Partial<ManifestConditionRule> = {}): ManifestConditionRule => ({
  condition: 'Complete',
  type: 'WellKnownConditions',
  ...rest,
});

const evaluate = async (rules: ManifestConditionRule[], of: Manifest) => (await compile(rules)).evaluate(of);
const evaluated = { reason: 'ConditionRuleEvaluated' };
const failed = { status: 'False', reason: 'ConditionRuleExpressionError' };
const active = object({ active: 1 });

describe('a rule of CEL expressions', () => {
  it('[work 18.K-145] is true with the message that its expression computes', async () => {
    const rule = cel('object.status.active == 1', {
      messageExpression: '"result is " + string(result) + " for " + object.kind',
    });
    expect(await evaluate([rule], active)).toEqual([
      { type: 'Test', status: 'True', ...evaluated, message: 'result is true for Job' },
    ]);
  });

  it('is true when all expressions are, false from the first that is not, and true without any', async () => {
    expect(await evaluate([cel(['true', 'object.status.active > 0'])], active)).toMatchObject([{ status: 'True' }]);
    expect(await evaluate([cel(['false', 'object.missing'])], active)).toMatchObject([
      { status: 'False', ...evaluated },
    ]);
    expect(await evaluate([cel(['false', 'not an expression'])], active)).toMatchObject([evaluated]);
    expect(await evaluate([cel([])], active)).toMatchObject([{ status: 'True', ...evaluated }]);
  });

  it.each([
    [{}, 'true', 'Manifest is Test'],
    [{}, 'false', 'Manifest is not Test'],
    [{ message: 'said' }, 'false', 'said'],
    [{ message: 'said', messageExpression: '"computed"' }, 'true', 'computed'],
    [{ message: 'said', messageExpression: '""' }, 'true', 'said'],
  ])('with %j and %s reports %s', async (rest, expression, message) => {
    expect(await evaluate([cel(expression, rest)], active)).toMatchObject([{ message }]);
  });

  it.each([
    ['[work 18.K-146] gives no boolean', '"true"', 'expected bool result, got string'],
    ['gives a number', '1', 'expected bool result, got int64'],
    ['gives nothing', 'null', 'expected bool result, got structpb.NullValue'],
    ['[work 18.K-147] speaks of what is not there', 'object.missing', 'no such key: missing'],
    [
      '[work 18.K-156] does not compile',
      'badexpression',
      "ERROR: <input>:1:1: undeclared reference to 'badexpression' (in container '')",
    ],
  ])('is false when it %s', async (_, expression, message) => {
    expect(await evaluate([cel(expression)], active)).toEqual([{ type: 'Test', ...failed, message }]);
  });

  it.each([
    ['[work 18.K-148] does not compile', 'bad', "ERROR: <input>:1:1: undeclared reference to 'bad' (in container '')"],
    ['fails', 'object.missing', 'no such key: missing'],
    ['gives no text', '1', 'expected message expression to have a string result, got int64'],
  ])('keeps its status when its message %s', async (_, messageExpression, message) => {
    expect(await evaluate([cel('true', { messageExpression })], active)).toEqual([
      { type: 'Test', status: 'True', ...evaluated, message },
    ]);
  });

  it('does not know the result in an expression, only in a message', async () => {
    expect(await evaluate([cel('result')], active)).toMatchObject([failed]);
  });

  it('has a message that fits into a condition', async () => {
    const messageExpression = 'object.status.text + object.status.text';
    const [condition] = await evaluate([cel('true', { messageExpression })], object({ text: 'x'.repeat(20_000) }));
    expect(condition?.message).toHaveLength(32_768);
  });

  it('[work 18.K-157] follows the object', async () => {
    const rules = await compile([cel('object.data.complete == "true"', { condition: 'Complete' })]);
    const configMap = (complete: string) => ({ ...object(undefined, 'v1', 'ConfigMap'), data: { complete } });
    expect(await rules.evaluate(configMap('false'))).toMatchObject([{ status: 'False' }]);
    expect(await rules.evaluate(configMap('true'))).toMatchObject([{ status: 'True' }]);
  });

  it('knows the functions of Kubernetes', async () => {
    const rule = cel([
      'quantity(object.status.memory).isGreaterThan(quantity("1Gi"))',
      'object.status.image.matches("^registry\\\\.example\\\\.com/.+:v[0-9]+$")',
      'object.status.ips.all(i, cidr("10.0.0.0/8").containsIP(i))',
      'semver(object.status.version).major() == 1',
      'object.?status.?missing.orValue("none") == "none"',
    ]);
    const of = object({ memory: '2Gi', image: 'registry.example.com/a:v1', ips: ['10.1.1.1'], version: '1.2.3' });
    expect(await evaluate([rule], of)).toMatchObject([{ status: 'True' }]);
  });
});

describe('[work 18.K-149] hasConditions', () => {
  it.each([
    [{ conditions: [{ type: 'A' }] }, 'True'],
    [{}, 'False'],
    [{ conditions: {} }, 'False'],
    [{ conditions: [] }, 'False'],
    [{ conditions: null }, 'False'],
    ['text', 'False'],
    [null, 'False'],
  ])('of %j is %s', async (status, expected) => {
    expect(await evaluate([cel('hasConditions(object.status)')], object(status))).toMatchObject([
      { status: expected, ...evaluated },
    ]);
  });
});

describe('a well-known condition', () => {
  const job = (type: string, status: string) => object({ conditions: [{ type, status }] });

  it.each([
    ['Complete', 'True', 'True', 'Job is finished'],
    ['Failed', 'True', 'True', 'Job is finished'],
    ['Complete', 'False', 'False', 'Job is not finished'],
    ['Suspended', 'True', 'False', 'Job is not finished'],
  ])('[work 18.K-150] of a Job whose %s is %s is %s', async (type, status, expected, message) => {
    expect(await evaluate([wellKnown()], job(type, status))).toEqual([
      { type: 'Complete', status: expected, ...evaluated, message },
    ]);
  });

  it('of a Job that has no conditions yet is false', async () => {
    expect(await evaluate([wellKnown()], object({}))).toMatchObject([
      { status: 'False', message: 'Job is not finished' },
    ]);
  });

  it.each([
    ['Succeeded', 'True'],
    ['Failed', 'True'],
    ['Running', 'False'],
  ])('[work 18.K-151] of a Pod in phase %s is %s and reports the phase', async (phase, expected) => {
    expect(await evaluate([wellKnown()], object({ phase }, 'v1', 'Pod'))).toEqual([
      { type: 'Complete', status: expected, ...evaluated, message: `Pod is in phase ${phase}` },
    ]);
  });

  it('has the messages of its rule', async () => {
    const rules = [wellKnown({ messageExpression: 'result ? "done" : "busy"' })];
    expect(await evaluate(rules, job('Complete', 'True'))).toMatchObject([{ message: 'done' }]);
    expect(await evaluate([wellKnown({ message: 'said' })], job('Complete', 'True'))).toMatchObject([
      { message: 'Job is finished' },
    ]);
  });

  it('[work 18.K-156] that is unknown is ignored', async () => {
    expect(await evaluate([wellKnown({ condition: 'Ready' })], job('Complete', 'True'))).toEqual([]);
    expect(await evaluate([wellKnown()], object({}, 'v1', 'ConfigMap'))).toEqual([]);
    expect(await evaluate([wellKnown()], object({}, 'batch/v1beta1', 'Job'))).toEqual([]);
  });
});

describe('rules that cannot be reported', () => {
  it.each(['Applied', 'Available', 'StatusFeedbackSynced', 'Deleting', '', 'not a type', 'x'.repeat(317)])(
    'as %j are left out, and the others are evaluated',
    async (condition) => {
      const rules = [cel('true', { condition }), cel('true')];
      expect((await evaluate(rules, active)).map(({ type }) => type)).toEqual(['Test']);
    },
  );

  it('since their type is of a newer hub are unknown', async () => {
    const rule: unknown = JSON.parse('{"condition":"Test","type":"Rego"}');
    expect(await evaluate([rule as ManifestConditionRule], active)).toEqual([
      {
        type: 'Test',
        status: 'Unknown',
        reason: 'ConditionRuleInvalid',
        message: 'unrecognized condition rule type Rego',
      },
    ]);
  });
});

describe('the budget of rules', () => {
  const within = async (limits: CostLimits, rules: ManifestConditionRule[], of = active) =>
    (await createConditionRuleCompiler(limits)(rules)).evaluate(of);

  it('[work 18.K-152] of one is exceeded by any expression', async () => {
    expect(await within({ perExpression: 1_000_000, inAll: 1 }, [cel('object.status.active == 1')])).toEqual([
      { type: 'Test', ...failed, message: 'CEL evaluation budget exceeded' },
    ]);
  });

  it('ends a single expression', async () => {
    const [condition] = await within({ perExpression: 2, inAll: 100 }, [cel('object.status.active == 1')]);
    expect(condition).toMatchObject({ ...failed, message: 'operation cancelled: actual cost limit exceeded' });
  });

  it('is shared by all rules of a manifest and their messages', async () => {
    const rules = ['A', 'B', 'C'].map((condition) => cel('object.status.active == 1', { condition }));
    const limits = { perExpression: 1000, inAll: 8 };
    expect((await within(limits, rules)).map(({ status }) => status)).toEqual(['True', 'True', 'False']);
    const costly = cel('true', { messageExpression: 'object.status.active == 1 ? "a" : "b"' });
    expect(await within({ perExpression: 1000, inAll: 2 }, [costly])).toMatchObject([
      { status: 'True', ...evaluated, message: 'CEL evaluation budget exceeded' },
    ]);
  });

  it('ends an expression that would take for ever, soon', async () => {
    const of = object({ list: Array.from({ length: 1000 }, (_, at) => at), text: 'a'.repeat(50_000) });
    const expressions = [
      'object.status.list.all(a, object.status.list.all(b, object.status.list.all(c, a + b + c >= 0)))',
      '!object.status.text.matches("^(a+)+$b")',
    ];
    const results = await evaluate(
      expressions.map((expression, at) => cel(expression, { condition: `T${at}` })),
      of,
    );
    expect(results[0]).toMatchObject({ ...failed, message: 'operation cancelled: actual cost limit exceeded' });
    expect(results[1]).toMatchObject({ status: 'True' });
  });
});
