import { ruleRunner } from '@flotilla/rules/runner';
import { expect, it, onTestFinished, vi } from 'vitest';
import { globalSet, newCluster, newPlacement } from '../fixtures/objects.ts';
import { PlacementEngine } from './engine.ts';

it('a placement whose expressions cost more than they may names the cluster that costs the most', () => {
  vi.spyOn(ruleRunner, 'tryEvaluate').mockImplementation((_, { managedCluster }, budget) => {
    const { metadata } = managedCluster as { metadata: { name: string } };
    budget.charge(metadata.name === 'c1' ? 9_000_000 : 600_000);
    return { value: true };
  });
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  const engine = new PlacementEngine({ now: 0, onDirty: () => {} });
  engine.setSet(globalSet);
  engine.setBinding('ns', 'global');
  for (const name of ['c0', 'c1', 'c2']) engine.setCluster(newCluster(name));
  engine.setPlacement(
    newPlacement({ predicates: [{ requiredClusterSelector: { celSelector: { celExpressions: ['true'] } } }] }),
  );
  const { status } = engine.schedule('ns/p') ?? {};
  expect(status).toMatchObject({ code: 'Misconfigured', plugin: 'Predicate' });
  expect(status?.reasons[0]).toContain('for 3 clusters costs more than 10003000 units');
  expect(status?.reasons[0]).toContain('of the clusters evaluated so far, c1 costs the most');
});
