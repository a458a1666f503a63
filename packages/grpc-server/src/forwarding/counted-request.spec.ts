import { FakeClock } from '@flotilla/kube/testing';
import { expect, it } from 'vitest';
import { ClusterBudgets } from '../budget/cluster-budgets.ts';
import { clusterQuotas, clusterRates } from '../limits.ts';
import { CountedRequest } from './counted-request.ts';

const budgetOf = (budgets: ClusterBudgets, cluster: string) =>
  budgets.of({ user: `system:open-cluster-management:${cluster}:agent` }, cluster);

it('counts as long as it is under way, for its own cluster', () => {
  const budgets = new ClusterBudgets(new FakeClock());
  const open = (cluster: string) => new CountedRequest(budgetOf(budgets, cluster));
  const requests = Array.from({ length: clusterQuotas.forwards.max }, () => open('c1'));
  expect(() => open('c1')).toThrow(
    'cluster c1 has used up its limit "forwards": 100 requests of its add-ons under way',
  );
  open('c2');
  requests[0]?.release();
  requests[0]?.release();
  open('c1');
  expect(() => open('c1')).toThrow('under way');
});

it('counts for the rate of its cluster, and holds nothing if that is used up', async () => {
  const clock = new FakeClock();
  const budgets = new ClusterBudgets(clock);
  const budget = budgetOf(budgets, 'c1');
  for (let i = 0; i < clusterRates.forwarded.burst; i += 1) new CountedRequest(budget).release();
  expect(() => new CountedRequest(budget)).toThrow('"forwarded": 100 a second');
  expect(budget.isInUse).toBe(false);
  await clock.advance(100);
  new CountedRequest(budget).release();
});

it('counts the bytes of its body with those of other requests of the cluster until it ends', () => {
  const budgets = new ClusterBudgets(new FakeClock());
  const { max } = clusterQuotas.forwardBytes;
  const [first, second] = [0, 1].map(() => new CountedRequest(budgetOf(budgets, 'c1')));
  first?.hold(max - 4);
  second?.hold(4);
  expect(() => second?.hold(1)).toThrow('"forwardBytes"');
  new CountedRequest(budgetOf(budgets, 'c2')).hold(max);
  first?.release();
  second?.hold(max - 4);
  expect(() => second?.hold(1)).toThrow('"forwardBytes"');
  expect(() => first?.hold(1)).toThrow('has ended');
});
