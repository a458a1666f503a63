import { describe, expect, it } from 'vitest';
import { decideRecord, leaseOf, type RecordDecision, recordOf, type TunnelRecord } from './tunnel-record.policy.ts';

const own = { identity: 'one', address: '10.0.0.1:9443' };
const other = { identity: 'two', address: '10.0.0.2:9443' };

describe('the record of a tunnel', () => {
  it.each<[string, TunnelRecord, number | undefined, RecordDecision]>([
    ['is claimed by the replica with the first tunnel', {}, 5, 'claim'],
    ['is left alone when it says so already', { holder: own, since: 5 }, 5, 'nothing'],
    ['is claimed for a newer tunnel of its own', { holder: own, since: 4 }, 5, 'claim'],
    ['is claimed from a replica with an older tunnel', { holder: other, since: 4 }, 5, 'claim'],
    ['is left to a replica with a newer tunnel', { holder: other, since: 6 }, 5, 'retire'],
    ['is released when the tunnel is lost', { holder: own, since: 5 }, undefined, 'release'],
    ['is left to others without a tunnel', { holder: other, since: 5 }, undefined, 'nothing'],
    ['is left alone when nobody has one', { since: 5 }, undefined, 'nothing'],
    ['is claimed at another address', { holder: { ...own, address: 'x:1' }, since: 5 }, 5, 'claim'],
  ])('%s', (_, record, since, expected) => {
    expect(decideRecord(record, own, since)).toBe(expected);
  });

  it('is read as it was written', () => {
    expect(recordOf(leaseOf('a', own, 1_700_000_000_123))).toEqual({ holder: own, since: 1_700_000_000_123 });
    expect(recordOf(leaseOf('a', undefined, 1_700_000_000_123))).toEqual({ since: 1_700_000_000_123 });
    expect(recordOf(undefined)).toEqual({});
  });
});
