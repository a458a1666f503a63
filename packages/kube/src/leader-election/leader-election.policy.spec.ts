import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Lease } from '../kinds/built-in-types.ts';
import { decide, heldSpec, type LeaseSpec, observe, releasedSpec } from './leader-election.policy.ts';

const lease = (spec: LeaseSpec): Lease => ({ metadata: { name: 'lock', namespace: 'a' }, spec });
const heldByOther = { holderIdentity: 'other', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' };

describe('a candidate', () => {
  it.each([
    ['creates a lease that does not exist', undefined, { act: 'create' }],
    ['takes a lease without a record', { lease: {}, since: 0 }, { act: 'take' }],
    ['takes a released lease', { lease: lease({ ...heldByOther, holderIdentity: '' }), since: 1000 }, { act: 'take' }],
    [
      'takes its own lease back after a restart',
      { lease: lease({ ...heldByOther, holderIdentity: 'me' }), since: 1000 },
      { act: 'take' },
    ],
    [
      'waits while the record was seen to change lately',
      { lease: lease(heldByOther), since: 1000 },
      { act: 'wait', holder: 'other', ms: 6000 },
    ],
    [
      'takes a lease that did not change for its duration',
      { lease: lease(heldByOther), since: -5000 },
      { act: 'take' },
    ],
    [
      'goes by its own duration if the record has none',
      { lease: lease({ holderIdentity: 'other' }), since: 1000 },
      { act: 'wait', holder: 'other', ms: 21_000 },
    ],
  ])('%s', (_what, observed, decision) => {
    expect(decide(observed, 'me', 10_000, 30_000)).toEqual(decision);
  });

  it('never goes by the times inside the record, which are of other clocks', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') }), (time) => {
        const record = { ...heldByOther, renewTime: time.toISOString(), acquireTime: time.toISOString() };
        expect(decide({ lease: lease(record), since: 0 }, 'me', 14_999, 1)).toMatchObject({ act: 'wait' });
        expect(decide({ lease: lease(record), since: 0 }, 'me', 15_000, 1)).toEqual({ act: 'take' });
      }),
    );
  });
});

describe('an observation', () => {
  const first = observe(undefined, lease(heldByOther), 100);

  it('lasts while the record stays, whatever else of the lease changes', () => {
    const labelled = {
      ...lease({ ...heldByOther }),
      metadata: { name: 'lock', resourceVersion: '9', labels: { a: 'b' } },
    };
    expect(observe(first, labelled, 200).since).toBe(100);
  });

  it('begins anew with each renewal', () => {
    expect(observe(first, lease({ ...heldByOther, renewTime: '2026-01-01T00:00:02.000000Z' }), 200).since).toBe(200);
  });
});

describe('the record', () => {
  const now = Date.parse('2026-01-01T00:00:05.123Z');

  it('of the first holder counts no transition and has times with six digits', () => {
    expect(heldSpec(undefined, 'me', 15_000, now)).toEqual({
      holderIdentity: 'me',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:05.123000Z',
      renewTime: '2026-01-01T00:00:05.123000Z',
      leaseTransitions: 0,
    });
  });

  it('of a renewal keeps when it was acquired and the transitions', () => {
    const held = heldSpec(undefined, 'me', 15_000, now - 5000);
    expect(heldSpec({ ...held, leaseTransitions: 3 }, 'me', 15_000, now)).toMatchObject({
      acquireTime: '2026-01-01T00:00:00.123000Z',
      renewTime: '2026-01-01T00:00:05.123000Z',
      leaseTransitions: 3,
    });
  });

  it('of another holder counts a transition and keeps fields that are not ours', () => {
    const current = { ...heldByOther, leaseTransitions: 3, strategy: 'OldestEmulationVersion' };
    expect(heldSpec(current, 'me', 15_000, now)).toMatchObject({
      holderIdentity: 'me',
      leaseTransitions: 4,
      strategy: 'OldestEmulationVersion',
      acquireTime: '2026-01-01T00:00:05.123000Z',
    });
  });

  it('of a holder that left has no holder and expires at once', () => {
    const released = releasedSpec({ ...heldByOther, leaseTransitions: 3 }, now);
    expect(released).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 3 });
    expect(decide(observe(undefined, lease(released), 0), 'me', 0, 30_000)).toEqual({ act: 'take' });
  });
});
