import type { Json, JsonObject } from '@flotilla/rules/values';
import { describe, expect, it } from 'vitest';
import type { FieldError } from './field-error.ts';
import { createSchemaValidator, createValidationBudget } from './schema-validator.ts';
import type { StructuralSchema } from './structural-schema.ts';

const errorsOf = (
  schema: StructuralSchema,
  object: JsonObject,
  budget = createValidationBudget(),
): Promise<readonly FieldError[]> => {
  const kind = { apiVersion: 'v1', kind: 'X', namespaced: false, schema };
  return createSchemaValidator(kind).validateContentApart(object, undefined, { budget });
};
const listOf = (items: StructuralSchema): StructuralSchema => ({
  type: 'object',
  properties: { list: { type: 'array', items } },
});

describe('of an object with very many errors a thousand are reported', () => {
  it.each<[string, StructuralSchema, number, (index: number) => Json]>([
    ['items of the wrong type', listOf({ type: 'string' }), 300_000, (index) => index],
    [
      'fields that must not be there',
      listOf({ type: 'object', additionalProperties: false }),
      300_000,
      (index) => ({ a: index }),
    ],
    [
      'items that repeat',
      { type: 'object', properties: { list: { type: 'array', 'x-kubernetes-list-type': 'set' } } },
      300_000,
      (index) => Math.floor(index / 2),
    ],
    [
      'items that break a rule',
      listOf({ type: 'integer', 'x-kubernetes-validations': [{ rule: 'self < 0' }] }),
      3000,
      (index) => index,
    ],
  ])('%s', async (_, schema, length, item) => {
    const errors = await errorsOf(schema, { list: Array.from({ length }, (_, index) => item(index)) });
    expect(errors).toHaveLength(1000);
  });

  it('and no rule is run if one that is not reported keeps the server from it', async () => {
    const schema: StructuralSchema = {
      type: 'object',
      properties: { list: { type: 'array', maxItems: 999, items: { type: 'string', pattern: '^a' } } },
      'x-kubernetes-validations': [{ rule: 'self.list.size() == 0' }],
    };
    const costOf = async (length: number): Promise<number> => {
      const budget = createValidationBudget();
      await errorsOf(schema, { list: Array.from({ length }, () => 'b') }, budget);
      return budget.rules.spent;
    };
    expect(await costOf(999)).toBeGreaterThan(0);
    expect(await costOf(1000)).toBe(0);
  });

  it('and fewer where their paths are long', async () => {
    const schema: StructuralSchema = {
      type: 'object',
      properties: { map: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } } },
    };
    const errors = await errorsOf(schema, { map: { ['k'.repeat(100_000)]: Array.from({ length: 1000 }, () => 1) } });
    expect(errors).toHaveLength(4);
  });
});
