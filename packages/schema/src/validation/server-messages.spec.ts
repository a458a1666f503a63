import type { Json } from '@flotilla/rules/values';
import { describe, expect, it } from 'vitest';
import { validatorFor, widget } from '../../fixtures/widgets.ts';
import { createRuleInspector } from './cel-rules.ts';
import type { StructuralSchema } from './structural-schema.ts';

describe('the words of the API server', () => {
  it.each<{ what: string; spec: StructuralSchema; value: Json; field: string; message: string }>([
    {
      what: 'a wrong type is reported by its name',
      spec: { type: 'string' },
      value: 5,
      field: 'spec',
      message: 'Invalid value: "integer": spec in body must be of type string: "integer"',
    },
    {
      what: 'alternatives are reported without a field',
      spec: { type: 'string', anyOf: [{ pattern: '^a' }] },
      value: 'b',
      field: '<nil>',
      message: 'Invalid value: "": "spec" must validate at least one schema (anyOf)',
    },
    {
      what: 'a rule may have a reason of its own, which needs no value',
      spec: {
        type: 'integer',
        'x-kubernetes-validations': [{ rule: 'self < 3', message: 'no', reason: 'FieldValueForbidden' }],
      },
      value: 5,
      field: 'spec',
      message: 'Forbidden: no',
    },
  ])('$what', ({ spec, value, field, message }) => {
    expect(
      validatorFor(spec)
        .check(widget(value))
        .errors.map(({ cause }) => cause),
    ).toEqual([{ field, message }]);
  });
});

describe('the steps of a check', () => {
  const validator = validatorFor({ type: 'object', properties: { a: { type: 'string' } } });

  it('pruning reports what it removed', () => {
    const { object, unknownFields } = validator.pruneUnknown(widget({ a: 'x', b: 'y' }));
    expect(object.spec).toEqual({ a: 'x' });
    expect(unknownFields).toEqual(['spec.b']);
  });

  it('content is validated without metadata, as it is', () => {
    expect(validator.validateContent({ metadata: { name: 'Not A Name' }, spec: { a: 1 } })).toMatchObject([
      { field: 'spec.a' },
    ]);
  });
});

describe('an inspector of rules', () => {
  it.each([
    ['a rule that does not compile', 'self.', { compileError: expect.any(String), usesOldSelf: false }],
    ['a rule about the old value', 'self == oldSelf', { usesOldSelf: true }],
    ['any other rule', 'self > 1', { usesOldSelf: false }],
  ])('%s is known before any object is there', (_what, rule, expected) => {
    expect(createRuleInspector()({ rule })).toEqual(expected);
  });
});
