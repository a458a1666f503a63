import { describe, expect, it } from 'vitest';
import { type JoinRecord, readJoinRecord } from './join-record.ts';
import { decideRejoin, type RejoinSituation } from './rejoin.policy.ts';

const record: JoinRecord = { name: 'c1', cluster: 'u1', bootstrap: 'b1', hub: 'h1', revision: '100' };
const removed: JoinRecord = { ...record, removed: true };
const now: RejoinSituation = {
  bootstrapReason: 'Forbidden',
  bootstrap: 'b1',
  evidence: { hub: 'h1', revision: '2000' },
};

describe('an agent whose ManagedCluster is not there', () => {
  it.each<[string, JoinRecord | undefined, Partial<RejoinSituation>, boolean]>([
    ['never joined', undefined, {}, true],
    ['joined', record, {}, false],
    ['joined, and its certificate has ended', record, { bootstrapReason: 'Expired' }, false],
    ['saw the deletion', removed, {}, false],
    [
      'saw the deletion, and its credentials are not known any more',
      removed,
      { bootstrapReason: 'Unauthorized' },
      false,
    ],
    ['saw the deletion on a hub that was restored since', removed, { evidence: { hub: 'h1', revision: '1' } }, false],
    ['has new bootstrap credentials', removed, { bootstrap: 'b2' }, true],
    ['is led to another hub', removed, { bootstrapReason: 'BootstrapChanged' }, true],
    ['is not known to the hub that issued its credentials', record, { bootstrapReason: 'Unauthorized' }, true],
    ['meets another hub', record, { evidence: { hub: 'h2', revision: '2000' } }, true],
    ['meets the hub at a time before it joined', record, { evidence: { hub: 'h1', revision: '99' } }, true],
    ['meets the hub at the time when it joined', record, { evidence: { hub: 'h1', revision: '100' } }, false],
    ['meets a hub that shows nothing of itself', record, { evidence: {} }, false],
    ['meets a hub with revisions of another kind', record, { evidence: { revision: 'abc' } }, false],
  ])('that %s', (_, known, changes, create) => {
    expect(decideRejoin(known, { ...now, ...changes }).create).toBe(create);
  });
});

describe('the join record', () => {
  it.each([
    ['nothing', undefined],
    ['no JSON', '{'],
    ['null', 'null'],
    ['something else', '{"cluster":1}'],
    ['another name', JSON.stringify({ ...record, name: 'c2' })],
  ])('is absent when %s is stored', (_, text) => {
    expect(readJoinRecord(text === undefined ? {} : { 'join-record': text }, 'c1')).toBeUndefined();
  });

  it('is what was stored', () => {
    expect(readJoinRecord({ 'join-record': JSON.stringify(removed) }, 'c1')).toEqual(removed);
  });
});
