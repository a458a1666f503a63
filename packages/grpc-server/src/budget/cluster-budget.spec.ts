import { FakeClock } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
import { clusterQuotas, clusterRates, userRates } from '../limits.ts';
import { ClusterBudgets } from './cluster-budgets.ts';

const agentOf = (cluster: string) => ({ user: `system:open-cluster-management:${cluster}:agent1` });
const bootstrap = { user: 'bootstrap' };

/** How often something passes of so many times. */
const passed = (count: number, attempt: () => unknown): number =>
  Array.from({ length: count }).filter(() => {
    try {
      attempt();
      return true;
    } catch {
      return false;
    }
  }).length;

describe('the budget of a cluster', () => {
  it('is bounded for each rate, and that of another cluster is not affected', async () => {
    const clock = new FakeClock();
    const budgets = new ClusterBudgets(clock);
    const noisy = () => budgets.of(agentOf('noisy'), 'noisy');
    expect(passed(10_000, () => noisy().take('events'))).toBe(clusterRates.events.burst);
    expect(() => noisy().take('events')).toThrow(
      'cluster noisy has used up its limit "events": 500 a second of the events that it publishes, after 2000 at once',
    );
    noisy().take('resyncs');
    expect(passed(100, () => budgets.of(agentOf('quiet'), 'quiet').take('events'))).toBe(100);
    await clock.advance(1000);
    expect(passed(10_000, () => noisy().take('events'))).toBe(clusterRates.events.perSecond);
  });

  it('gets back what it held when that ends, once', () => {
    const budget = new ClusterBudgets(new FakeClock()).of(agentOf('a'), 'a');
    const { max } = clusterQuotas.heldBytes;
    const release = budget.hold('heldBytes', max - 1);
    budget.hold('heldBytes', 1);
    expect(() => budget.hold('heldBytes', 1)).toThrow('cluster a has used up its limit "heldBytes"');
    release();
    release();
    budget.hold('heldBytes', max - 1);
    expect(() => budget.hold('heldBytes', 1)).toThrow('"heldBytes"');
  });

  it('is not that of the user with whom clusters join, who has one for each', () => {
    const budgets = new ClusterBudgets(new FakeClock());
    passed(10_000, () => budgets.of(bootstrap, 'a').take('events'));
    budgets.of(agentOf('a'), 'a').take('events');
    budgets.of(bootstrap, 'b').take('events');
    expect(() => budgets.of(bootstrap, 'a').take('events')).toThrow('user bootstrap for cluster a');
  });

  it('is not made anew for each name that a bootstrap user invents', () => {
    const budgets = new ClusterBudgets(new FakeClock());
    let invented = 0;
    const invent = () => {
      invented += 1;
      return budgets.of(bootstrap, `c${invented}`);
    };
    expect(passed(5000, invent)).toBe(userRates.parties.burst);
    budgets.of(bootstrap, 'c1').take('events');
    expect(() => invent()).toThrow('user bootstrap has used up its limit "parties"');
  });

  it('has no questions for each name that a user invents: those about clusters where it has no right yet are counted together', async () => {
    const clock = new FakeClock();
    const budgets = new ClusterBudgets(clock);
    let invented = 0;
    const ask = () => {
      invented += 1;
      budgets.decisionsOf(bootstrap, `c${invented}`).take();
    };
    expect(passed(10_000, ask)).toBe(userRates.unknownClusters.burst);
    expect(ask).toThrow('user bootstrap has used up its limit "unknownClusters"');
    await clock.advance(1000);
    expect(passed(10_000, ask)).toBe(userRates.unknownClusters.perSecond);
    // None of them was remembered.
    const names = Array.from({ length: 5000 }, (_, index) => `d${index}`).values();
    expect(passed(5000, () => budgets.of(bootstrap, names.next().value ?? ''))).toBe(userRates.parties.burst);
    budgets.decisionsOf(agentOf('a'), 'a').take();
  });

  it('of a user has no more questions than that user, however many clusters it acts for', () => {
    const budgets = new ClusterBudgets(new FakeClock());
    const clusters = Array.from({ length: 100 }, (_, index) => `c${index}`);
    for (const cluster of clusters) budgets.of(bootstrap, cluster);
    const ask = (cluster: string) => passed(1000, () => budgets.decisionsOf(bootstrap, cluster).take());
    expect(ask('c0')).toBe(clusterRates.decisions.burst);
    expect(clusters.reduce((sum, cluster) => sum + ask(cluster), 0)).toBeLessThan(userRates.decisions.burst);
    budgets.decisionsOf({ user: 'other' }, 'c0').take();
  });

  it('stays as long as something of it is under way, however many others there are', () => {
    const budgets = new ClusterBudgets(new FakeClock());
    budgets.of(agentOf('a'), 'a').hold('streams', clusterQuotas.streams.max);
    for (let index = 0; index < 20_100; index += 1) budgets.of(agentOf(`c${index}`), `c${index}`);
    expect(() => budgets.of(agentOf('a'), 'a').hold('streams')).toThrow('"streams"');
  });
});
