import { acceptableMs, backtracking, longestTurn } from '@flotilla/rules/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSchemaValidator, type SchemaValidator } from './schema-validator.ts';
import type { StructuralSchema } from './structural-schema.ts';

const validatorOf = (text: StructuralSchema): SchemaValidator =>
  createSchemaValidator({
    apiVersion: 'v1',
    kind: 'X',
    namespaced: false,
    schema: { type: 'object', properties: { texts: { type: 'array', items: { type: 'string', ...text } } } },
  });

/** Patterns with a text that is hostile to them, once or several times in one object. */
const attacks = fc.record({
  attack: fc.constantFrom(...backtracking),
  length: fc.oneof(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 500_000 })),
  count: fc.integer({ min: 1, max: 20 }),
});

/** Where a definition can have a pattern, and how an object is validated by it. */
const places: readonly [string, (pattern: string) => StructuralSchema, 'validateContent' | 'validateContentApart'][] = [
  ['a pattern', (pattern) => ({ pattern }), 'validateContent'],
  ['a pattern', (pattern) => ({ pattern }), 'validateContentApart'],
  [
    'a rule that matches',
    (pattern) => ({ 'x-kubernetes-validations': [{ rule: `self.matches(${JSON.stringify(pattern)})` }] }),
    'validateContentApart',
  ],
];

describe('no text holds up the event loop', () => {
  it.each(places)('by %s of a definition (%#)', async (_, schemaOf, validate) => {
    const property = fc.asyncProperty(attacks, async ({ attack: { pattern, text }, length, count }) => {
      const texts = Array.from({ length: count }, () => text(length));
      const validator = validatorOf(schemaOf(pattern));
      expect(await longestTurn(() => validator[validate]({ texts }))).toBeLessThan(acceptableMs);
    });
    await fc.assert(property, { numRuns: 30, endOnFailure: true });
  });
});
