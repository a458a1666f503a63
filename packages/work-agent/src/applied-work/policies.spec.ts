import type { AppliedManifestResource } from '@flotilla/api-types';
import type { ObjectMeta } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { hubHashOf } from '../hub-hash.ts';
import { newAppliedWork, sameResources, sortResources, untracked, workNameOf } from './applied-work.policy.ts';
import { decideDeletion } from './delete-applied.ts';
import { decideEviction } from './eviction.policy.ts';

const resource = (name: string, parts: Partial<AppliedManifestResource> = {}): AppliedManifestResource => ({
  group: '',
  version: 'v1',
  resource: 'configmaps',
  namespace: 'ns',
  name,
  uid: `uid-${name}`,
  ...parts,
});

describe('[work 18.C-43] resources that are not wanted any more', () => {
  const before = [resource('a'), resource('b')];
  it.each([
    ['none if all are wanted', before, []],
    ['those that are missing', [resource('a')], ['b']],
    ['all if none is wanted', [], ['a', 'b']],
    ['none if only the version differs', [resource('a', { version: 'v2' }), resource('b')], []],
  ])('%s', (_, wanted, expected) => {
    expect(untracked(before, wanted).map(({ name }) => name)).toEqual(expected);
  });
});

it('[work 18.C-44] hubs are distinguished by 64 hexadecimal digits', () => {
  expect(hubHashOf('https://a')).toMatch(/^[0-9a-f]{64}$/);
  expect(hubHashOf('https://a')).toBe(hubHashOf('https://a'));
  expect(hubHashOf('https://a')).not.toBe(hubHashOf('https://a/'));
});

it('resources are sorted by group, version, resource, namespace and name', () => {
  const sorted = [
    resource('b'),
    resource('a', { namespace: 'zz' }),
    resource('a', { resource: 'secrets' }),
    resource('a', { group: 'apps' }),
  ];
  expect(sortResources([...sorted].reverse())).toEqual(sorted);
  expect(sameResources(sorted, sorted)).toBe(true);
  expect(sameResources(sorted, [...sorted].reverse())).toBe(false);
  expect(sameResources([resource('a')], [resource('a', { uid: 'new' })])).toBe(false);
});

it('an AppliedManifestWork is named, labelled and held as OCM does it', () => {
  const work = { metadata: { name: 'w', labels: { a: 'b' } } };
  expect(newAppliedWork(work, { hubHash: 'hash', agentID: 'agent', formerHubHashes: [], formerAgentIDs: [] })).toEqual({
    metadata: {
      name: 'hash-w',
      labels: { a: 'b' },
      finalizers: ['cluster.open-cluster-management.io/applied-manifest-work-cleanup'],
    },
    spec: { hubHash: 'hash', agentID: 'agent', manifestWorkName: 'w' },
  });
  expect(workNameOf('hash', 'hash-w')).toBe('w');
  expect(workNameOf('hash', 'other-w')).toBeUndefined();
});

describe('[work 18.H-109] an applied object', () => {
  const owner = (uid: string, kind = 'AppliedManifestWork') => ({
    apiVersion: 'work.open-cluster-management.io/v1',
    kind,
    name: uid,
    uid,
  });
  const owned: ObjectMeta = { uid: 'uid', ownerReferences: [owner('ours')] };
  it.each<[string, ObjectMeta | undefined, string | undefined, string]>([
    ['that is gone is forgotten', undefined, 'uid', 'forget'],
    ['that is another of the name is forgotten', { ...owned, uid: 'other' }, 'uid', 'forget'],
    ['whose uid was not recorded is forgotten', owned, undefined, 'forget'],
    ['that is not ours is forgotten', { uid: 'uid', ownerReferences: [] }, 'uid', 'forget'],
    ['that is ours is deleted', owned, 'uid', 'delete'],
    ['that is on its way out is waited for', { ...owned, deletionTimestamp: 'now' }, 'uid', 'wait'],
    [
      'of another kind of owner too is deleted',
      { uid: 'uid', ownerReferences: [owner('ours'), owner('x', 'Pod')] },
      'uid',
      'delete',
    ],
    ['of another work too is released', { uid: 'uid', ownerReferences: [owner('ours'), owner('x')] }, 'uid', 'release'],
  ])('%s', (_, metadata, recorded, expected) => {
    expect(decideDeletion(metadata, recorded, 'ours')).toBe(expected);
  });
});

describe('what was applied for a work', () => {
  const now = Date.parse('2026-01-01T01:00:00Z');
  const graceMs = 600_000;
  const started = (evictionStartTime: string) => ({ status: { evictionStartTime } });
  it.each([
    ['stays while the hub has the work', {}, true, graceMs, { kind: 'keep' }],
    ['[work 18.I-114] is given a grace period when it has not', {}, false, graceMs, { kind: 'start' }],
    [
      '[work 18.I-117] waits for the rest of it',
      started('2026-01-01T00:55:00Z'),
      false,
      graceMs,
      { kind: 'wait', ms: 300_000 },
    ],
    ['[work 18.I-116] goes after it', started('2026-01-01T00:50:00Z'), false, graceMs, { kind: 'evict' }],
    ['[work 18.I-118] stays if the work is back', started('2026-01-01T00:50:00Z'), true, graceMs, { kind: 'cancel' }],
    ['[work 18.I-119] is never evicted from 100 years on', {}, false, 100 * 365 * 24 * 3_600_000, { kind: 'keep' }],
    [
      '[work 18.I-119] nor any more',
      started('2026-01-01T00:50:00Z'),
      false,
      100 * 365 * 24 * 3_600_000,
      { kind: 'cancel' },
    ],
  ])('%s', (_, appliedWork, isManaged, grace, expected) => {
    expect(
      decideEviction({ metadata: {}, ...appliedWork }, { isManaged, graceMs: grace, ageOf: (time) => now - time }),
    ).toEqual(expected);
  });
});
