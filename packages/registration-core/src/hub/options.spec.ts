import { managedClusterAddOns, manifestWorks } from '@flotilla/api-types';
import { type Logger, silentLogger } from '@flotilla/kube';
import { describe, expect, it } from 'vitest';
import { resolveGates } from './gates.ts';
import { defaultHubOptions, hubOptions, parseCleanupList, parseLabels } from './options.ts';

describe('options of the hub', () => {
  it.each([
    ['', {}],
    ['a=b', { a: 'b' }],
    ['a=b, c=d', { a: 'b', c: 'd' }],
    ['a=', { a: '' }],
  ])('reads the labels %j', (text, labels) => {
    expect(parseLabels(text)).toEqual(labels);
  });

  it.each([
    ['a', 'unexpected label spec: a'],
    ['a=b=c', 'unexpected label spec: a=b=c'],
    ['=b', 'unexpected empty label key'],
  ])('[registration-hub 154] refuses the labels %j', (text, message) => {
    expect(() => parseLabels(text)).toThrow(message);
  });

  it('reads the list of kinds to clean up, and leaves out with a warning what is none', () => {
    const warnings: unknown[] = [];
    const log: Logger = { ...silentLogger, warn: (_, fields) => warnings.push(fields?.entry) };
    expect(parseCleanupList(hubOptions.gcResourceList.default ?? [], log)).toEqual([
      managedClusterAddOns,
      manifestWorks,
    ]);
    expect(parseCleanupList(['', 'nonsense', 'a/b/c/d', 'example.com/v1/gadgets'], log)).toEqual([
      { group: 'example.com', version: 'v1', plural: 'gadgets', kind: 'gadgets', namespaced: true },
    ]);
    expect(warnings).toEqual(['nonsense', 'a/b/c/d']);
  });

  it('cleans up add-ons before works by default', () => {
    expect(defaultHubOptions.cleanup).toEqual([managedClusterAddOns, manifestWorks]);
  });
});

describe('feature gates of the hub', () => {
  it('have the defaults of OCM', () => {
    expect(resolveGates()).toEqual({
      DefaultClusterSet: true,
      V1beta1CSRAPICompatibility: false,
      ManagedClusterAutoApproval: false,
      ResourceCleanup: true,
      ClusterProfile: false,
      ClusterImporter: false,
    });
  });

  it('are as given, and those of other components are left to them', () => {
    const gates = resolveGates({ ClusterProfile: true, ManifestWorkReplicaSet: true });
    expect(gates.ClusterProfile).toBe(true);
    expect(gates).not.toHaveProperty('ManifestWorkReplicaSet');
  });

  it('[registration-hub 154] are refused if they are unknown', () => {
    expect(() => resolveGates({ Nonsense: true })).toThrow('feature gate "Nonsense" is not known');
  });
});
