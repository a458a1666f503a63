import type { ManifestWorkDeleteOption } from '@flotilla/api-types';
import { acceptableMs, longestTurn } from '@flotilla/rules/testing';
import type { OwnerReference } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { isOwned, mergeOwners, ownersPatch, removalOf } from './ownership.ts';

const owner = (name: string, uid = `uid-${name}`): OwnerReference => ({
  apiVersion: 'work.open-cluster-management.io/v1',
  kind: 'AppliedManifestWork',
  name,
  uid,
});
const meta = {
  ordinal: 0,
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  resource: 'configmaps',
  namespace: 'ns',
  name: 'cm',
};
const rules = (name: string): ManifestWorkDeleteOption => ({
  propagationPolicy: 'SelectivelyOrphan',
  selectivelyOrphans: { orphaningRules: [{ resource: 'configmaps', namespace: 'ns', name }] },
});

describe('[work 18.C-46] an object is owned', () => {
  it.each<[string, ManifestWorkDeleteOption | undefined, boolean]>([
    ['without an option', undefined, true],
    ['in the foreground', { propagationPolicy: 'Foreground' }, true],
    ['not as an orphan', { propagationPolicy: 'Orphan' }, false],
    ['without rules', { propagationPolicy: 'SelectivelyOrphan' }, true],
    ['not if a rule names it', rules('cm'), false],
    ['if the rule names another', rules('other'), true],
    ['whatever a wildcard says, which rules do not know', rules('*'), true],
  ])('%s', (_, option, expected) => {
    expect(isOwned(option, meta)).toBe(expected);
  });

  it('as quickly among thousands of rules and manifests', async () => {
    const orphaningRules = Array.from({ length: 12_000 }, (_, index) => ({ ...meta, name: `other${index}` }));
    const option: ManifestWorkDeleteOption = {
      propagationPolicy: 'SelectivelyOrphan',
      selectivelyOrphans: { orphaningRules },
    };
    const decideAll = () => {
      for (let index = 0; index < 5000; index += 1) isOwned(option, { ...meta, name: `cm${index}` });
    };
    expect(await longestTurn(decideAll)).toBeLessThan(acceptableMs);
  });
});

describe('[work 18.C-45] [work 18.D-51] owners', () => {
  const [ours, other] = [owner('ours'), owner('other')];

  it('are added to none and to others', () => {
    expect(mergeOwners(undefined, [ours])).toEqual([ours]);
    expect(mergeOwners([other], [ours])).toEqual([other, ours]);
  });

  it('are removed by their marker', () => {
    expect(mergeOwners([other, ours], [removalOf(ours)])).toEqual([other]);
  });

  it('stay the same list if nothing changes', () => {
    const live = [other, ours];
    expect(mergeOwners(live, [ours])).toBe(live);
    expect(mergeOwners(live, [removalOf(owner('absent'))])).toBe(live);
    expect(ownersPatch({ ownerReferences: live }, [ours])).toBeUndefined();
    expect(ownersPatch({}, [removalOf(ours)])).toBeUndefined();
  });

  it('are the same by name, kind and group: a new uid or version replaces the old one', () => {
    const older = { ...owner('ours', 'old-uid'), apiVersion: 'work.open-cluster-management.io/v1beta1' };
    expect(mergeOwners([older], [ours])).toEqual([ours]);
    expect(mergeOwners([older], [removalOf(ours)])).toEqual([]);
  });
});
