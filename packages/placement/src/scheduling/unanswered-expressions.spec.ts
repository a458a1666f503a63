import { PlacementCondition } from '@flotilla/api-types';
import { RuleTaskError, ruleRunner } from '@flotilla/rules/runner';
import { expect, it, onTestFinished, vi } from 'vitest';
import { newCluster, newPlacement } from '../fixtures/objects.ts';
import { handlesOf, startPlacement } from '../fixtures/running-placement.ts';

it('a placement keeps its decisions while the thread of rules gives no answer, says so, and recovers', async () => {
  await using running = await startPlacement();
  const { clusters, placements } = handlesOf(running.plane);
  await clusters.create(newCluster('c0', { labels: { env: 'prod' } }));
  const celExpressions = ['managedCluster.metadata.labels["env"] == "prod"'];
  await placements.create(
    newPlacement({ predicates: [{ requiredClusterSelector: { celSelector: { celExpressions } } }] }),
  );
  await running.quiet();
  expect(await running.decisions()).toEqual({ 1: ['c0'] });

  vi.spyOn(ruleRunner, 'tryEvaluate').mockReturnValue(undefined);
  vi.spyOn(ruleRunner, 'evaluate').mockRejectedValue(new RuleTaskError('it did not end within 10000 ms', true));
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  const misconfigured = async () => {
    const { status } = await placements.get('ns/p');
    return status?.conditions?.find(({ type }) => type === PlacementCondition.Misconfigured);
  };
  // After a restart there is no answer yet.
  await running.restart();
  for (let second = 0; second < 8; second++) await running.pass(1000);
  expect(await running.decisions()).toEqual({ 1: ['c0'] });
  expect(await misconfigured()).toMatchObject({
    status: 'True',
    message: expect.stringContaining(`${celExpressions[0]} have no answer for the cluster c0`),
  });

  vi.restoreAllMocks();
  await running.pass(8000);
  expect(await running.decisions()).toEqual({ 1: ['c0'] });
  expect(await misconfigured()).toMatchObject({ status: 'False' });
});
