import { expect, it } from 'vitest';
import { CostBudget, createCel } from '../cel/index.ts';
import { createJqEngine, JqBudget } from '../jq/index.ts';
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

it('takes a task that is aborted while it waits out of the queue', async () => {
  const runner = new RuleRunner();
  const abort = new AbortController();
  const evaluate = (signal?: AbortSignal) =>
    runner.evaluate(program, {}, new CostBudget(limits), { owner: 'a', ...(signal && { signal }) });
  const first = evaluate();
  const second = evaluate(abort.signal);
  setImmediate(() => abort.abort(new Error('stopped')));
  await expect(second).rejects.toThrow('stopped');
  await expect(evaluate(abort.signal)).rejects.toThrow('stopped');
  expect(await first).toBe(10_000n);
  expect(await evaluate(new AbortController().signal)).toBe(10_000n);
});

it('gives jq expressions their turns, too', async () => {
  const runner = new RuleRunner();
  const jq = createJqEngine(runner);
  const ended: string[] = [];
  const run = async (owner: string) => {
    await jq.remove({ a: 1, b: 2 }, '.a', new JqBudget(), { owner });
    ended.push(owner);
  };
  await Promise.all(['many', 'many', 'many', 'many', 'one'].map(run));
  expect(ended).toEqual(['many', 'many', 'one', 'many', 'many']);
});
