import { describe, expect, it } from 'vitest';
import { newCluster } from '../fixtures/objects.ts';
import { createCelSelectors } from './cel-selector.ts';

const selectors = createCelSelectors(() => undefined);
const cluster = newCluster('c1', { labels: { env: 'prod', version: '1.30.6' } });
const isProd = 'managedCluster.metadata.labels["env"] == "prod"';
const isOlder = 'semver(managedCluster.metadata.labels["version"]).isLessThan(semver("1.31.0"))';
const matches = (...expressions: readonly string[]) =>
  selectors.matchesAll(
    expressions.map((expression) => selectors.compile(expression)),
    cluster,
  );

describe('expressions', () => {
  it('[placement 15.3-50] match if all are true', () => {
    expect(matches(isProd, isOlder)).toBe(true);
    expect(matches(isProd, `!(${isOlder})`)).toBe(false);
  });

  it('[placement 15.3-51] do not match if they cost more than the budget of a predicate, each for itself or together', () => {
    const text = { annotations: { text: 'x'.repeat(2_000_000) } };
    const verbose = { ...cluster, metadata: { ...cluster.metadata, ...text } };
    const reads =
      'managedCluster.metadata.annotations["text"].size() > 0 && !managedCluster.metadata.annotations["text"].contains("y")';
    const program = selectors.compile(reads);
    expect(selectors.matchesAll([program], verbose)).toBe(true);
    const six = selectors.compile(Array.from({ length: 6 }, () => `(${reads})`).join(' && '));
    expect(selectors.matchesAll([six], verbose), 'more than an expression may cost').toBe(false);
    const sixty = Array.from({ length: 60 }, () => program);
    expect(selectors.matchesAll(sixty, verbose), 'more than all may cost').toBe(false);
  });
});
