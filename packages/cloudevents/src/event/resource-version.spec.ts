import { FakeClock } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
import type { ExtensionValue } from './cloud-event.ts';
import { resourceVersion } from './resource-version.ts';
import { sequenceIds } from './sequence-id.ts';
import { statusHash } from './status-hash.ts';

const versionOf = (value: ExtensionValue | undefined) =>
  resourceVersion({ id: '', source: '', type: '', extensions: value === undefined ? {} : { resourceversion: value } });

describe('the version of an event', () => {
  it.each([
    ['an integer', 3, 3n],
    ['a string of digits', '9007199254740993', 9007199254740993n],
    ['zero', 0, 0n],
  ])('is read from %s', (_, value, expected) => expect(versionOf(value)).toBe(expected));

  it.each([
    ['is not there', undefined],
    ['is empty', ''],
    ['is a word', 'latest'],
    ['is negative', -1],
    ['is a truth value', true],
  ])('[work 18.Q-220] is an error if it %s [grpc-cloudevents 26.1-6]', (_, value) => {
    expect(() => versionOf(value)).toThrow(/resourceversion/);
  });
});

describe('sequence ids', () => {
  it('are snowflakes of node 1', () => {
    const clock = new FakeClock('2026-01-01T00:00:05Z');
    expect(sequenceIds(clock)()).toBe('2006515734410170368');
  });

  it('grow with each call, also when a millisecond has no more and when the clock is set back', () => {
    const clock = new FakeClock();
    const next = sequenceIds(clock);
    let last = BigInt(next());
    for (let call = 0; call < 10_000; call += 1) {
      if (call === 5000) clock.jump(-60_000);
      const id = BigInt(next());
      expect(id).toBeGreaterThan(last);
      last = id;
    }
  });
});

describe('the hash of a status', () => {
  it('is that of its JSON as Go writes it', () => {
    const condition = {
      type: 'Applied',
      status: 'True',
      observedGeneration: 1,
      lastTransitionTime: '2026-01-01T00:00:05Z',
      reason: 'AppliedManifestWorkComplete',
      message: 'Apply manifest work complete',
    } as const;
    expect(statusHash({ conditions: [condition] })).toBe(
      '35a8abeb5f1945d5a0b7c98db35eb3eef54222a4281319fa2cd87f8efec27353',
    );
  });

  it('is the same whatever the order of the keys is, and another one for another status', () => {
    expect(statusHash({ resourceStatus: {}, conditions: [] })).toBe(statusHash({ conditions: [], resourceStatus: {} }));
    expect(statusHash({})).toBe(statusHash(undefined));
    expect(statusHash({ conditions: [] })).not.toBe(statusHash({}));
  });
});
