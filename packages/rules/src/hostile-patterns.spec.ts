import { describe, expect, it } from 'vitest';
import { CelCostError, CostBudget, CostMeter, createCel } from './cel/index.ts';
import { RuleTaskError, ruleRunner } from './runner/index.ts';
import { acceptableMs, longestTurn } from './testing/index.ts';

const limits = { perExpression: 1_000_000, inAll: 10_000_000 };
const list = `[${Array.from({ length: 99 }, (_, index) => index).join(',')}]`;
/** Of two letters without a pattern, so that matchers meet a new state with each of them. */
const varied = (length: number): string => {
  let state = 1;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return state & 64 ? 'a' : 'b';
  }).join('');
};
const text = 'a'.repeat(80_000);
const cel = createCel({ variables: { object: 'dyn' } });

/** Expressions by the number of their run: what was compiled in a run before must not be known. */
const attacks: readonly [what: string, expression: (run: number) => string, object: object][] = [
  ['compiles many large patterns', (run) => `${list}.all(i, !"".matches("(abcdefg${run}" + string(i) + "){900}"))`, {}],
  [
    'compiles patterns of large classes',
    (run) => `${list}.all(i, !"".matches("^(?:\\\\pL${run}" + string(i) + "){400}$"))`,
    {},
  ],
  [
    'compiles a class of many classes',
    (run) => `${list}.all(i, !"".matches("[${'\\\\pL'.repeat(50)}${run}" + string(i) + "]"))`,
    {},
  ],
  [
    'finds matches that each read all of the text',
    () => 'object.text.findAll(".*?b|a").size() > 0',
    { text: text.slice(0, 4000) },
  ],
  [
    'matches with a state for each character',
    (run) => `object.text.matches("[ab]*a[ab]{100}[xy]${run}?")`,
    { text: varied(15_000) },
  ],
  [
    'searches for a text that nearly matches everywhere',
    () => `object.text.lastIndexOf("${'a'.repeat(3000)}b") > 0`,
    { text },
  ],
];

describe('an expression that', () => {
  it.each(attacks)(
    '%s does not hold up the event loop',
    async (_, expression, object) => {
      let runs = 0;
      const evaluate = async () => {
        runs += 1;
        const budget = new CostBudget(limits);
        await ruleRunner.evaluate(cel.later(expression(runs)), { object }, budget).catch((error: unknown) => {
          if (!(error instanceof CelCostError || error instanceof RuleTaskError)) throw error;
        });
      };
      expect(await longestTurn(evaluate)).toBeLessThan(acceptableMs);
    },
    60_000,
  );
});

describe('the cost of an expression', () => {
  const costOf = (expression: string, object = {}): number => {
    const meter = new CostMeter(Number.POSITIVE_INFINITY);
    cel.compile(expression).evaluate({ object }, meter);
    return meter.spent;
  };

  it('has that of compiling a pattern, once', () => {
    const expression = '"".matches("(abcd){200}cost")';
    expect(costOf(expression)).toBeGreaterThan(8000);
    expect(costOf(expression)).toBeLessThan(20);
  });

  it('grows with the text that is read again for each match', () => {
    const cost = (length: number) => costOf('object.text.findAll(".*?b|a").size()', { text: 'a'.repeat(length) });
    expect(cost(2000)).toBeGreaterThan(50 * cost(200));
  });

  it('is moderate for the matches of a text as users have it', () => {
    const log = 'pod-1 is ready\n'.repeat(700);
    expect(costOf('object.text.findAll("[a-z]+").size()', { text: log })).toBeLessThan(600_000);
    expect(costOf('object.text.split("\\n").size()', { text: log })).toBeLessThan(1500);
  });
});
