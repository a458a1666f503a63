import { RuleTaskError, ruleRunner } from '@flotilla/rules/runner';
import { describe, expect, it, vi } from 'vitest';
import { newCluster } from '../fixtures/objects.ts';
import { createCelSelectors } from './cel-selector.ts';

const selectors = createCelSelectors({ scoresOf: () => undefined });
const cluster = newCluster('c1', { labels: { env: 'prod', version: '1.30.6' } });
const isProd = 'managedCluster.metadata.labels["env"] == "prod"';
const isOlder = 'semver(managedCluster.metadata.labels["version"]).isLessThan(semver("1.31.0"))';
const matches = async (expressions: readonly string[], of = cluster) =>
  (await selectors.match(selectors.compileAll(expressions), of)).matches;

describe('expressions', () => {
  it('[placement 15.3-50] match if all are true', async () => {
    expect(await matches([isProd, isOlder])).toBe(true);
    expect(await matches([isProd, `!(${isOlder})`])).toBe(false);
  });

  it('[placement 15.3-51] do not match if they cost more than the budget of a predicate, each for itself or together', async () => {
    const text = { annotations: { text: 'x'.repeat(2_000_000) } };
    const verbose = { ...cluster, metadata: { ...cluster.metadata, ...text } };
    const reads =
      'managedCluster.metadata.annotations["text"].size() > 0 && !managedCluster.metadata.annotations["text"].contains("y")';
    expect(await matches([reads], verbose)).toBe(true);
    const six = Array.from({ length: 6 }, () => `(${reads})`).join(' && ');
    expect(await matches([six], verbose), 'more than an expression may cost').toBe(false);
    const sixty = Array.from({ length: 60 }, () => reads);
    expect(await matches(sixty, verbose), 'more than all may cost').toBe(false);
  });

  it('have no answer if the thread that evaluates them has none', async () => {
    const error = new RuleTaskError('it did not end within 10000 ms', true);
    const evaluate = vi.spyOn(ruleRunner, 'evaluate').mockRejectedValueOnce(error);
    await expect(matches([isProd])).rejects.toBe(error);
    evaluate.mockRestore();
  });

  it('are refused if compiling them would take long', () => {
    expect(() => selectors.compileAll(Array.from({ length: 1000 }, () => isProd))).toThrow(
      'but at most 16384 are evaluated: shorten them',
    );
  });
});
