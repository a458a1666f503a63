import type { ManifestCondition, ManifestResourceMeta, ManifestWork } from '@flotilla/api-types';
import type { Condition } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import type { ManifestResult, Presence } from './manifest-status.ts';
import { ReportedManifests } from './reported-manifests.ts';
import { deletingStatus, workStatus } from './work-status.ts';

const then = '2026-01-01T00:00:00Z';
const now = Date.parse('2026-01-02T00:00:00Z');
const nowText = '2026-01-02T00:00:00Z';

const meta = (name: string, ordinal = 0): ManifestResourceMeta => ({
  ordinal,
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  resource: 'configmaps',
  namespace: 'ns',
  name,
});
const nothingSaid = { values: [], errors: [], hasFeedbackRules: false, conditions: [] };
const present: Presence = { kind: 'present' };
const fine = (name: string, ordinal = 0): ManifestResult => ({
  meta: meta(name, ordinal),
  presence: present,
  observation: nothingSaid,
});
const workOf = (status: ManifestWork['status'], generation = 2): ManifestWork => ({
  metadata: { name: 'w', generation },
  status,
});
const statusOf = (results: readonly ManifestResult[], work: ManifestWork = workOf(undefined), isFrozen = false) =>
  workStatus(work, { results, isFrozen }, now);
const condition = (type: string, parts: Partial<Condition> = {}): Condition => ({
  type,
  status: 'True',
  reason: 'Because',
  message: '',
  lastTransitionTime: then,
  ...parts,
});
const reported = (name: string, ordinal: number, conditions: Condition[]): ManifestCondition => ({
  resourceMeta: meta(name, ordinal),
  statusFeedback: { values: [{ name: 'v', fieldValue: { type: 'Integer', integer: 1 } }] },
  conditions,
});
const of = (conditions: readonly Condition[] | undefined, type: string) =>
  conditions?.find((each) => each.type === type);

describe('the application of a work', () => {
  it('[work 18.A-32] [work 18.A-29] is complete if no manifest failed', () => {
    const { conditions } = statusOf([fine('a'), fine('b', 1)]);
    expect(of(conditions, 'Applied')).toEqual({
      type: 'Applied',
      status: 'True',
      reason: 'AppliedManifestWorkComplete',
      message: 'Apply manifest work complete',
      lastTransitionTime: nowText,
      observedGeneration: 2,
    });
  });

  it('[work 18.A-32] [work 18.A-29] failed if one manifest did', () => {
    const failure = { reason: 'AppliedManifestFailed', message: 'no' } as const;
    const { conditions, resourceStatus } = statusOf([fine('a'), { ...fine('b', 1), failure }]);
    expect(of(conditions, 'Applied')).toMatchObject({
      status: 'False',
      reason: 'AppliedManifestWorkFailed',
      message: 'Failed to apply manifest work',
      observedGeneration: 2,
    });
    expect(of(resourceStatus?.manifests?.[1]?.conditions, 'Applied')).toMatchObject({
      status: 'False',
      reason: 'AppliedManifestFailed',
      message: 'Failed to apply manifest: no',
      observedGeneration: 2,
    });
  });

  it('[work 18.A-32] [work 18.J-125] [work 18.J-126] is not spoken of without manifests', () => {
    const { conditions } = statusOf([]);
    expect(of(conditions, 'Applied')).toBeUndefined();
    expect(of(conditions, 'Available')).toMatchObject({
      status: 'Unknown',
      reason: 'ResourcesStatusUnknown',
      message: 'cannot get any available resource ',
    });
  });

  it('stays as it was said for a work that is complete', () => {
    const work = workOf({ conditions: [condition('Applied', { observedGeneration: 1 })] });
    expect(of(statusOf([fine('a')], work, true).conditions, 'Applied')).toMatchObject({ observedGeneration: 1 });
  });
});

describe('[work 18.J-128] the availability of a work', () => {
  const missing: Presence = { kind: 'missing' };
  const unreadable: Presence = { kind: 'unreadable', message: 'forbidden' };
  it.each<[string, Presence[], Partial<Condition>]>([
    [
      'all there',
      [present, present],
      { status: 'True', reason: 'ResourcesAvailable', message: 'All resources are available' },
    ],
    [
      'one missing',
      [present, missing],
      { status: 'False', reason: 'ResourcesNotAvailable', message: '1 of 2 resources are not available' },
    ],
    [
      'one unreadable',
      [present, unreadable],
      { status: 'Unknown', reason: 'ResourcesStatusUnknown', message: '1 of 2 resources have unknown status' },
    ],
    ['missing counts more than unknown', [missing, { kind: 'incomplete' }], { status: 'False' }],
  ])('%s', (_, presences, expected) => {
    const results = presences.map((presence, ordinal) => ({ meta: meta(`m${ordinal}`, ordinal), presence }));
    expect(of(statusOf(results).conditions, 'Available')).toMatchObject({ ...expected, observedGeneration: 2 });
  });

  it('is reported of a manifest without a generation', () => {
    const { resourceStatus } = statusOf([{ meta: meta('a'), presence: unreadable }]);
    expect(of(resourceStatus?.manifests?.[0]?.conditions, 'Available')).toEqual({
      type: 'Available',
      status: 'Unknown',
      reason: 'FetchingResourceFailed',
      message: 'Failed to fetch resource: forbidden',
      lastTransitionTime: nowText,
    });
  });
});

describe('what was reported before', () => {
  const before = [
    reported('a', 0, [condition('Applied', { observedGeneration: 1 }), condition('Available'), condition('Other')]),
    reported('gone', 1, []),
  ];
  const work = workOf({ resourceStatus: { manifests: before } });

  it('[work 18.C-41] is kept for a manifest at another place, and dropped with the manifest', () => {
    const { resourceStatus } = statusOf([fine('new', 0), fine('a', 1)], work);
    expect(resourceStatus?.manifests?.map(({ resourceMeta }) => resourceMeta.name)).toEqual(['new', 'a']);
    const [, a] = resourceStatus?.manifests ?? [];
    expect(of(a?.conditions, 'Available')?.lastTransitionTime).toBe(then);
  });

  it('[work 18.C-42] keeps times and other types; what was applied for another generation is news, at the end', () => {
    const { resourceStatus } = statusOf([fine('a')], work);
    const [a] = resourceStatus?.manifests ?? [];
    expect(a?.conditions.map(({ type, lastTransitionTime }) => `${type} ${lastTransitionTime}`)).toEqual([
      `Available ${then}`,
      `Other ${then}`,
      `Applied ${nowText}`,
      `StatusFeedbackSynced ${nowText}`,
    ]);
  });

  it('keeps the values of an object that could not be observed', () => {
    const { resourceStatus } = statusOf([{ meta: meta('a'), presence: { kind: 'missing' } }], work);
    expect(resourceStatus?.manifests?.[0]?.statusFeedback?.values).toHaveLength(1);
  });

  it('is not guessed where two entries are alike', () => {
    const duplicates = new ReportedManifests([reported('a', 0, []), reported('a', 1, [])]);
    expect(duplicates.find(meta('a', 1))?.resourceMeta.ordinal).toBe(1);
    expect(duplicates.find(meta('a', 2))).toBeUndefined();
  });
});

it('[work 18.H-101] a work that is being deleted says so and keeps its other conditions', () => {
  const { conditions, resourceStatus } = deletingStatus(
    workOf({ conditions: [condition('Applied')], resourceStatus: {} }),
    now,
  );
  expect(conditions).toEqual([
    condition('Applied'),
    {
      type: 'Deleting',
      status: 'True',
      reason: 'WorkDeleting',
      message: 'ManifestWork is being deleted',
      lastTransitionTime: nowText,
      observedGeneration: 2,
    },
  ]);
  expect(resourceStatus).toEqual({});
});

describe('a message that is longer than a condition may be', () => {
  it('is shortened, and still says when the manifest is tried again', () => {
    const message = `${'x'.repeat(100_000)}, will try again in 10s`;
    const { resourceStatus } = statusOf([{ ...fine('a'), failure: { reason: 'AppliedManifestFailed', message } }]);
    const said = of(resourceStatus?.manifests?.[0]?.conditions, 'Applied')?.message ?? '';
    expect(said.length).toBeLessThanOrEqual(4096);
    expect(said).toMatch(/^Failed to apply manifest: x+…x+, will try again in 10s$/);
  });
});
