import { expect, it } from 'vitest';
import { CostBudget, createCel } from '../cel/index.ts';
import { RuleRunner } from './runner.ts';
import { RuleQueueError } from './worker-queue.ts';

const limits = { perExpression: 1_000_000, inAll: 10_000_000 };
/** Too long for the thread of the caller. */
const long = `"${'a'.repeat(10_000)}".size()`;
const program = createCel({ variables: {} }).later(long);

it('lets no owner wait for all tasks of another', async () => {
  const runner = new RuleRunner();
  const ended: string[] = [];
  const owners = ['many', 'many', 'many', 'many', 'one'];
  const run = async (owner: string) => {
    await runner.evaluate(program, {}, new CostBudget(limits), { owner });
    ended.push(owner);
  };
  await Promise.all(owners.map(run));
  // The first is under way, and the second had its turn already when the other owner came.
  expect(ended).toEqual(['many', 'many', 'one', 'many', 'many']);
});

it('gives a task up that has not begun in its time', async () => {
  const runner = new RuleRunner();
  const first = runner.evaluate(program, {}, new CostBudget(limits), { owner: 'a', beginBy: 0 });
  const second = runner.evaluate(program, {}, new CostBudget(limits), { owner: 'a', beginBy: 0 });
  await expect(second).rejects.toThrow(RuleQueueError);
  expect(await first).toBe(10_000n);
  expect(await runner.evaluate(program, {}, new CostBudget(limits), { owner: 'a' })).toBe(10_000n);
});
