import { RuleMemoryError, RuleTaskError, ruleRunner } from '@flotilla/rules/runner';
import { acceptableMs, longestTurn } from '@flotilla/rules/testing';
import type { Json } from '@flotilla/rules/values';
import { describe, expect, it, vi } from 'vitest';
import { errorsOf } from '../../fixtures/widgets.ts';
import { createSchemaValidator } from './schema-validator.ts';
import type { StructuralSchema } from './structural-schema.ts';

describe('CEL rules', () => {
  const withRule = (rule: string, more: object = {}): StructuralSchema => ({
    type: 'object',
    properties: {
      size: { type: 'integer' },
      limit: { type: 'integer' },
      'x-kind': { type: 'string' },
      namespace: { type: 'string' },
      at: { type: 'string', format: 'date-time' },
    },
    'x-kubernetes-validations': [{ rule, ...more }],
  });

  it.each<{ what: string; spec: StructuralSchema; value: Json; old?: Json; says: string }>([
    {
      what: 'compare integers as integers',
      spec: withRule('self.size <= self.limit'),
      value: { size: 1, limit: 2 },
      says: '',
    },
    {
      what: 'speak for themselves without a message',
      spec: withRule('self.size < 1'),
      value: { size: 1 },
      says: 'spec: must satisfy self.size < 1',
    },
    {
      what: 'have a message',
      spec: withRule('self.size < 1', { message: 'too big' }),
      value: { size: 1 },
      says: 'spec: too big',
    },
    {
      what: 'have a message that is computed',
      spec: withRule('self.size < 1', { messageExpression: '"got " + string(self.size)' }),
      value: { size: 1 },
      says: 'spec: got 1',
    },
    {
      what: 'can point at a field',
      spec: withRule('self.size < 1', { fieldPath: '.size', message: 'no' }),
      value: { size: 1 },
      says: 'spec.size: no',
    },
    {
      what: 'write names that are not words with underscores',
      spec: withRule('self.x__dash__kind == "a"'),
      value: { 'x-kind': 'a' },
      says: '',
    },
    {
      what: 'write reserved words between underscores',
      spec: withRule('self.__namespace__ == "a"'),
      value: { namespace: 'a' },
      says: '',
    },
    {
      what: 'see times as times',
      spec: withRule('self.at < timestamp("2026-01-01T00:00:00Z")'),
      value: { at: '2025-12-31T23:59:59Z' },
      says: '',
    },
    {
      what: 'are not run against a value of another type',
      spec: withRule('self.size < 1'),
      value: { size: 'a' },
      says: 'spec.size: "a" must be integer, not string',
    },
    {
      what: 'about changes are not run for a new object',
      spec: withRule('self.size >= oldSelf.size'),
      value: { size: 1 },
      says: '',
    },
    {
      what: 'about changes are run for an update',
      spec: withRule('self.size >= oldSelf.size', { message: 'shrinks' }),
      value: { size: 1 },
      old: { size: 2 },
      says: 'spec: shrinks',
    },
    {
      what: 'may ask for the old value if there is one',
      spec: withRule('!oldSelf.hasValue() || self.size >= oldSelf.value().size', {
        optionalOldSelf: true,
        message: 'shrinks',
      }),
      value: { size: 1 },
      old: { size: 2 },
      says: 'spec: shrinks',
    },
    {
      what: 'may ask whether there is an old value',
      spec: withRule('oldSelf.hasValue()', { optionalOldSelf: true, message: 'is new' }),
      value: { size: 1 },
      says: 'spec: is new',
    },
  ])('$what', ({ spec, value, old, says }) => {
    expect(errorsOf(spec, value, old)).toBe(says);
  });

  it('that fail to evaluate refuse the object', () => {
    expect(errorsOf(withRule('self.limit > 1'), { size: 1 })).toMatch(/^spec: fails the rule self.limit > 1: /);
  });

  it("know Kubernetes' functions", () => {
    const spec: StructuralSchema = {
      type: 'object',
      properties: { memory: { type: 'string' }, hosts: { type: 'array', items: { type: 'string' } } },
      'x-kubernetes-validations': [
        { rule: 'quantity(self.memory).compareTo(quantity("1Gi")) <= 0', message: 'too much' },
        { rule: 'self.hosts.all(h, isIP(h) || h.matches("^[a-z.]+$")) && self.hosts.isSorted()', message: 'no hosts' },
      ],
    };
    expect(errorsOf(spec, { memory: '512Mi', hosts: ['10.0.0.1', 'a.b'] })).toBe('');
    expect(errorsOf(spec, { memory: '2Gi', hosts: ['B'] })).toBe('spec: too much\nspec: no hosts');
  });

  it('that cost too much refuse the object, and no further ones are run', () => {
    const spec: StructuralSchema = {
      type: 'object',
      properties: { list: { type: 'array', items: { type: 'integer' } } },
      'x-kubernetes-validations': [
        { rule: 'self.list.all(a, self.list.all(b, self.list.all(c, a + b + c >= 0)))' },
        { rule: 'false', message: 'is not evaluated' },
      ],
    };
    expect(errorsOf(spec, { list: Array.from({ length: 200 }, () => 1) })).toBe(
      "spec: 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: self.list.all(a, self.list.all(b, self.list.all(c, a + b + c >= 0)))",
    );
  });

  it('that do not compile refuse the object rather than pass unseen', () => {
    expect(errorsOf(withRule('self.size >'), { size: 1 })).toMatch(
      /^spec: cannot be checked, since this rule does not compile/,
    );
  });
});

describe('rules that take long', () => {
  const tower = (what: string) => `self.all(a, self.all(b, self.all(c, ${what})))`;
  const validatorOf = (...rules: string[]) =>
    createSchemaValidator({
      apiVersion: 'v1',
      kind: 'X',
      namespaced: false,
      schema: {
        type: 'object',
        properties: {
          list: {
            type: 'array',
            items: { type: 'number' },
            'x-kubernetes-validations': rules.map((rule) => ({ rule })),
          },
          time: {
            type: 'string',
            format: 'date-time',
            'x-kubernetes-validations': [{ rule: 'self.getFullYear() > 2000' }],
          },
        },
      },
    });
  const list = Array.from({ length: 40 }, (_, index) => index);

  it.each([
    ['pass', [tower('a + b + c >= 0.0')]],
    ['fail', ['self.size() == 40', tower('a + b + c < 100.0')]],
    ['cost too much', [tower('self.all(d, d >= 0.0)'), 'false']],
    ['have an error', [`${tower('a >= 0.0')} && self[100] > 0.0`]],
  ])('and %s have the same answer apart from the event loop', async (_, rules) => {
    const validator = validatorOf(...rules);
    const object = { list, time: '2026-01-31T12:00:00Z' };
    expect(await validator.validateContentApart(object)).toEqual(validator.validateContent(object));
  });

  it('do not hold up the event loop', async () => {
    const validator = validatorOf(...Array.from({ length: 5 }, (_, index) => tower(`a + b + c >= ${index}.0 - 10.0`)));
    expect(await longestTurn(() => validator.validateContentApart({ list }))).toBeLessThan(acceptableMs);
  });

  it('and have no answer say nothing about the object', async () => {
    const validator = validatorOf('self.size() == 40');
    const error = new RuleTaskError('its thread did not start: no memory', false);
    using _ = vi.spyOn(ruleRunner, 'evaluate').mockRejectedValue(error);
    await expect(validator.validateContentApart({ list })).rejects.toBe(error);
  });

  it('and have no answer for their message say nothing about the object', async () => {
    const schema: StructuralSchema = {
      type: 'object',
      'x-kubernetes-validations': [{ rule: 'false', messageExpression: '"no"' }],
    };
    const validator = createSchemaValidator({ apiVersion: 'v1', kind: 'X', namespaced: false, schema });
    const error = new RuleTaskError('it did not end within 10000 ms', true);
    using _ = vi.spyOn(ruleRunner, 'evaluate').mockResolvedValueOnce(false).mockRejectedValueOnce(error);
    await expect(validator.validateContentApart({})).rejects.toBe(error);
  });

  it('and take too much memory refuse the object', async () => {
    const validator = validatorOf('self.size() == 40');
    using _ = vi.spyOn(ruleRunner, 'evaluate').mockRejectedValue(new RuleMemoryError({}));
    const [{ message } = { message: '' }] = await validator.validateContentApart({ list });
    expect(message).toBe('fails the rule self.size() == 40: it takes more than 256 MiB of memory');
  });

  it('take turns with those of other owners, and wait 20 s at most', async () => {
    const validator = validatorOf('self.size() == 40');
    using evaluate = vi.spyOn(ruleRunner, 'evaluate');
    const before = performance.now();
    await validator.validateContentApart({ list }, undefined, { owner: 'jane' });
    const caller = evaluate.mock.calls[0]?.[3];
    expect(caller?.owner).toBe('jane');
    expect(caller?.beginBy).toBeGreaterThanOrEqual(before + 20_000);
    expect(caller?.beginBy).toBeLessThanOrEqual(performance.now() + 20_000);
  });
});
