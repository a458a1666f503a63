import type { ManifestWork } from '@flotilla/api-types';
import { acceptableMs, longestTurn } from '@flotilla/rules/testing';
import { describe, expect, it } from 'vitest';
import { templateOf } from '../replica-set/template.ts';
import { unmatchedConfigs } from './unmatched-configs.ts';

/** A pattern for which a matcher that backtracks needs longer than a test may take. */
const name = `${'*a'.repeat(30)}b`;
const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a'.repeat(250), namespace: 'x' } };
const resourceIdentifier = { group: '', resource: 'configmaps', namespace: 'x', name };
const spec: ManifestWork['spec'] = { workload: { manifests: [manifest] }, manifestConfigs: [{ resourceIdentifier }] };

describe('a name with many stars', () => {
  it('is compared at once when a work is admitted', () => {
    expect(unmatchedConfigs({ metadata: {}, spec })).toEqual([expect.stringContaining('is none of the manifests')]);
  });

  it('is compared at once when a replica set is reconciled', () => {
    expect(
      templateOf({ spec: { placementRefs: [], cascadeDeletionPolicy: 'Background', manifestWorkTemplate: spec } })
        .manifests,
    ).toEqual([{ reportsWellKnownStatus: false }]);
  });

  it('is not compared with more manifests than there is time for', () => {
    const many = Array.from({ length: 1000 }, (_, index) => ({
      ...manifest,
      metadata: { name: `n${index}`, namespace: 'x' },
    }));
    const manifestConfigs = Array.from({ length: 1000 }, () => ({ resourceIdentifier }));
    expect(unmatchedConfigs({ metadata: {}, spec: { workload: { manifests: many }, manifestConfigs } })).toEqual([]);
  });

  it.each([
    { what: 'long patterns', pattern: `${'*a'.repeat(1000)}b`, apiVersion: 'v1', count: 300 },
    { what: 'patterns as long as a name', pattern: `${'*a'.repeat(125)}b`, apiVersion: 'v1', count: 300 },
    { what: 'stars', pattern: '*'.repeat(2000), apiVersion: 'v1', count: 300 },
    { what: 'a long apiVersion', pattern: 'a*b', apiVersion: '/'.repeat(300_000), count: 3 },
  ])('does not hold up the event loop with $what', async ({ pattern, apiVersion, count }) => {
    const manifests = Array.from({ length: count }, () => ({ ...manifest, apiVersion }));
    const manifestConfigs = Array.from({ length: 300 }, () => ({
      resourceIdentifier: { ...resourceIdentifier, name: pattern },
    }));
    const compare = () => unmatchedConfigs({ metadata: {}, spec: { workload: { manifests }, manifestConfigs } });
    expect(await longestTurn(compare)).toBeLessThan(acceptableMs);
  });
});
