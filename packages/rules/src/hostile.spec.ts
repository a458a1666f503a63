import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CostBudget, createCel } from './cel/index.ts';
import { matchesWildcard } from './index.ts';
import { createJqEngine, JqBudget } from './jq/index.ts';
import { compileJsonPath } from './jsonpath/index.ts';
import { compileRegex, RegexBudget } from './regex/index.ts';
import { ruleRunner } from './runner/index.ts';
import {
  acceptableMs,
  hostileCel,
  hostileGlobs,
  hostileJq,
  hostilePaths,
  hostilePatterns,
  longestTurn,
  longText,
} from './testing/index.ts';

/** Rules of one language; what they throw is for their users, and not of interest here. */
async function expectShortTurns(make: (chance: () => number) => () => unknown, numRuns: number): Promise<void> {
  const run = (evaluate: () => unknown) => async () => {
    try {
      await evaluate();
    } catch (error) {
      if (error instanceof RangeError || error instanceof TypeError) throw error;
    }
  };
  const property = fc.asyncProperty(
    fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 40, maxLength: 40 }),
    async (chances) => {
      let at = 0;
      const chance = () => chances[at++ % chances.length] ?? 0;
      expect(await longestTurn(run(make(chance)))).toBeLessThan(acceptableMs);
    },
  );
  await fc.assert(property, { numRuns, endOnFailure: true });
}

const items = {
  x: Array.from({ length: 100_000 }, () => 1),
  y: Array.from({ length: 2000 }, () => ({ a: 'a'.repeat(100) })),
};

describe('no rule, and no text, holds up the event loop', () => {
  it('as a glob', () =>
    expectShortTurns((chance) => {
      const pattern = hostileGlobs(chance);
      return () => matchesWildcard(pattern, longText(100_000));
    }, 50));

  it('as a regular expression', () =>
    expectShortTurns((chance) => {
      const pattern = hostilePatterns(chance);
      return () => compileRegex(pattern).test(longText(1_000_000), new RegexBudget());
    }, 50));

  it('as a JSONPath', () =>
    expectShortTurns((chance) => {
      const path = hostilePaths(chance);
      return () => compileJsonPath(path).find(items);
    }, 100));

  it('in CEL', () =>
    expectShortTurns((chance) => {
      const expression = hostileCel(chance, 'object.text');
      const object = { text: longText(100_000) };
      const cel = createCel({ variables: { object: 'dyn' } });
      const budget = new CostBudget({ perExpression: 1_000_000, inAll: 10_000_000 });
      return () => ruleRunner.evaluate(cel.later(expression), { object }, budget);
    }, 50));

  it('in jq', () =>
    expectShortTurns((chance) => {
      const expression = hostileJq(chance);
      return () => createJqEngine().remove({ a: 1 }, expression, new JqBudget());
    }, 6));
});
