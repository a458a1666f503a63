import type { ManifestCondition, ManifestWork } from '@flotilla/api-types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startWorld } from '../fixtures/world.ts';
import { fitStatus } from './status-size.ts';

const now = Date.UTC(2026, 0, 1);
const lastTransitionTime = '2026-01-01T00:00:00Z';
const manifest = (ordinal: number, isApplied: boolean, message = ''): ManifestCondition => ({
  resourceMeta: { ordinal, group: '', version: 'v1', kind: 'ConfigMap', resource: 'configmaps', name: `c${ordinal}` },
  statusFeedback: {},
  conditions: [
    { type: 'Applied', status: isApplied ? 'True' : 'False', reason: 'AppliedManifest', message, lastTransitionTime },
    { type: 'Available', status: 'True', reason: 'ResourceAvailable', message: 'is available', lastTransitionTime },
  ],
});
const work: ManifestWork = { metadata: { name: 'w', generation: 3 }, spec: { workload: { manifests: [] } } };
const statusOf = (manifests: ManifestCondition[]) => ({ conditions: [], resourceStatus: { manifests } });
const ordinals = (manifests: readonly ManifestCondition[] | undefined) =>
  (manifests ?? []).map(({ resourceMeta }) => resourceMeta.ordinal);

describe('the status of a work', () => {
  it('is as it is while it fits, and loses an earlier notice', () => {
    const status = statusOf([manifest(0, true), manifest(1, false)]);
    const notice = { type: 'StatusTruncated', status: 'True', reason: 'StatusTooLarge', message: '' } as const;
    const noticed = { ...status, conditions: [{ ...notice, lastTransitionTime }] };
    expect(fitStatus(work, noticed, now)).toEqual(status);
  });

  it('lists what fails first, keeps the order, and says what it does not list', () => {
    const manifests = Array.from({ length: 8_000 }, (_, ordinal) => manifest(ordinal, ordinal % 1_000 !== 999));
    const fitted = fitStatus(work, statusOf(manifests), now);
    const listed = ordinals(fitted.resourceStatus?.manifests);
    expect(listed).toEqual([...listed].sort((a, b) => a - b));
    expect(listed).toEqual(expect.arrayContaining([999, 1_999, 7_999]));
    expect(fitted.conditions).toMatchObject([
      {
        type: 'StatusTruncated',
        message: expect.stringMatching(`^${8_000 - listed.length} of 8000 manifests are not listed.*; 0 of those are`),
        observedGeneration: 3,
      },
    ]);
  });

  it('fits with the rest of the object, whatever the manifests say', () => {
    const sizes = fc.record({
      count: fc.integer({ min: 1, max: 6_000 }),
      message: fc.integer({ min: 0, max: 4_096 }),
      failing: fc.integer({ min: 1, max: 7 }),
      spec: fc.integer({ min: 0, max: 512_000 }),
    });
    fc.assert(
      fc.property(sizes, ({ count, message, failing, spec }) => {
        const manifests = Array.from({ length: count }, (_, ordinal) =>
          manifest(ordinal, ordinal % failing !== 0, 'é'.repeat(message / 2)),
        );
        const large = { ...work, metadata: { ...work.metadata, annotations: { spec: 'x'.repeat(spec) } } };
        const status = fitStatus(large, statusOf(manifests), now);
        expect(Buffer.byteLength(JSON.stringify({ ...large, status }))).toBeLessThanOrEqual(1_400_000);
        const isWhole = status.resourceStatus?.manifests?.length === count;
        expect(status.conditions).toHaveLength(isWhole ? 0 : 1);
      }),
      { numRuns: 20 },
    );
  });
});

it('a work of thousands of tiny manifests is reported as far as the server takes it, and then stays as it is', {
  timeout: 60_000,
}, async () => {
  await using world = await startWorld();
  await world.start();
  const tiny = (name: number) => ({ apiVersion: 'example.com/v1', kind: 'Unknown', metadata: { name: `u${name}` } });
  await world.createWork(
    'many',
    Array.from({ length: 4_000 }, (_, name) => tiny(name)),
  );
  const { status } = (await world.work('many')) ?? {};
  expect(status?.conditions?.map(({ type }) => type)).toContain('StatusTruncated');
  expect(Buffer.byteLength(JSON.stringify(await world.work('many')))).toBeLessThan(1_500_000);
  expect(status?.conditions?.find(({ type }) => type === 'Available')?.message).toContain('of 4000 resources');
  world.takeRequests();
  await world.advance(3_600_000);
  expect(world.takeRequests('hub')).toEqual([]);
});
