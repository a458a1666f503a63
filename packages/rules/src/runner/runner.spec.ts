import { describe, expect, it, vi } from 'vitest';
import { CelCostError, CostBudget, createCel, type ScoresOf } from '../cel/index.ts';
import { RuleRunner } from './runner.ts';
import { RuleTaskError, WorkerQueue } from './worker-queue.ts';

const limits = { perExpression: 1_000_000, inAll: 10_000_000 };
const runner = new RuleRunner();
const list = `[${Array.from({ length: 99 }, (_, index) => index).join(',')}]`;
const evaluate = (
  expression: string,
  { budget = new CostBudget(limits), object = {} as unknown, scoresOf = (() => undefined) as ScoresOf } = {},
) =>
  runner.evaluate(
    createCel({ variables: { object: 'dyn' }, functions: { scoresOf } }).later(expression),
    { object },
    budget,
  );

describe('an expression that takes long', () => {
  it('has the value and the cost that it has in the thread of the caller', async () => {
    const expression = `${list}.map(a, ${list}.map(b, a + b)).size() + object.n`;
    const budget = new CostBudget(limits);
    expect(await evaluate(expression, { budget, object: { n: 1 } })).toBe(100n);
    const here = new CostBudget(limits);
    const program = createCel({ variables: { object: 'dyn' } }).compile(expression);
    here.spend((meter) => program.evaluate({ object: { n: 1n } }, meter));
    expect(budget.spent).toBeGreaterThan(20_000);
    expect(budget.spent).toBe(here.spent);
  });

  it('fails with the error that it has there', async () => {
    await expect(evaluate(`${list}.all(a, ${list}.all(b, a >= 0)) && object.missing`)).rejects.toThrow(
      'no such key: missing',
    );
  });

  it('asks for scores where they are known', async () => {
    const scoresOf = (cluster: string, resource: string) =>
      cluster === 'c1' && resource === 'r' ? [{ name: 'cpu', value: 7 }] : undefined;
    const expression = `${list}.all(a, ${list}.all(b, a >= 0)) && object.scores("r").exists(s, s.value == 7)`;
    const object = { metadata: { name: 'c1' } };
    expect(await evaluate(expression, { object, scoresOf })).toBe(true);
    await expect(evaluate(expression.replace('"r"', '"s"'), { object, scoresOf })).rejects.toThrow(
      'failed to get score',
    );
  });

  it('ends at its limit, and at that of all', async () => {
    const tower = `${list}.all(a, ${list}.all(b, ${list}.all(c, true)))`;
    const budget = new CostBudget({ ...limits, inAll: 1_500_000 });
    await expect(evaluate(tower, { budget })).rejects.toThrow(new CelCostError('limit'));
    await expect(evaluate(tower, { budget })).rejects.toThrow(new CelCostError('budget'));
    expect(budget.limit).toBe(0);
  });

  it.each([
    ['does not answer in time', new RuleTaskError('it did not end within 10000 ms', true)],
    ['has no memory left', new RuleTaskError('Worker terminated due to reaching memory limit', false)],
  ])('has no answer if the thread %s, and is not tried again within its budget', async (_, error) => {
    const run = vi.spyOn(WorkerQueue.prototype, 'run').mockRejectedValueOnce(error);
    const budget = new CostBudget(limits);
    await expect(evaluate(`"${'a'.repeat(10_000)}".size()`, { budget })).rejects.toBe(error);
    expect(budget.limit).toBe(0);
    run.mockRestore();
  });

  it('hands back a text of a bounded length', async () => {
    const text = await evaluate('object.text.replace("a", "aaaa")', { object: { text: 'a'.repeat(150_000) } });
    expect(text).toBe('a'.repeat(32_768));
  });

  it('is evaluated apart if the text of it, or its object, is large', async () => {
    expect(await evaluate(`"${'a'.repeat(10_000)}".size()`)).toBe(10_000n);
    const items = Array.from({ length: 100_000 }, () => 1);
    expect(await evaluate('object.items.size()', { object: { items } })).toBe(100_000n);
  });
});
