import { describe, expect, it } from 'vitest';
import { keepTimestamps } from './keep-timestamps.ts';

const object = (data: string, ...times: string[]) => ({
  metadata: { name: 'a', managedFields: times.map((time, index) => ({ manager: `m${index}`, time })) },
  data,
});

describe('keepTimestamps', () => {
  it('puts the times back when nothing else changed', () => {
    expect(keepTimestamps(object('x', 't1'), object('x', 't2'))).toEqual(object('x', 't1'));
  });

  it.each([
    ['the object changed', object('y', 't2')],
    ['a manager came', object('x', 't2', 't2')],
    ['no time changed', object('x', 't1')],
    ['there are no managers', object('x')],
    [
      'a manager changed',
      { ...object('x', 't2'), metadata: { name: 'a', managedFields: [{ manager: 'z', time: 't2' }] } },
    ],
  ])('keeps the new object when %s', (_, next) => {
    expect(keepTimestamps(object('x', 't1'), next)).toBe(next);
  });
});
