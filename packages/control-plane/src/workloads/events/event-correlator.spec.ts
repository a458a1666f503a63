import { expect, test } from 'vitest';
import { EventCorrelator } from './event-correlator.ts';

const minuteMs = 60_000;
const seen = (message: string, source = 'a') => ({ source, reason: 'Why', message });

test('the same event is counted', () => {
  const correlator = new EventCorrelator();
  const first = correlator.correlate(seen('x'), 0);
  expect(first).toMatchObject({ message: 'x', count: 1 });
  expect(correlator.correlate(seen('x'), 1)).toEqual({ ...first, count: 2 });
  expect(correlator.correlate(seen('y'), 2)).toMatchObject({ message: 'y', count: 1 });
});

test('the tenth message of a reason within ten minutes starts an event for all that follow', () => {
  const correlator = new EventCorrelator();
  for (let number = 1; number < 10; number++) {
    expect(correlator.correlate(seen(`${number}`), 0)).toMatchObject({ message: `${number}`, count: 1 });
  }
  expect(correlator.correlate(seen('10'), 0)).toMatchObject({
    message: '(combined from similar events): 10',
    count: 1,
  });
  expect(correlator.correlate(seen('11'), 0)).toMatchObject({
    message: '(combined from similar events): 11',
    count: 2,
  });
  expect(correlator.correlate(seen('12'), 11 * minuteMs)).toMatchObject({ message: '12', count: 1 });
});

test('an object gets 25 events at once, then one in five minutes, and others are not affected', () => {
  const correlator = new EventCorrelator();
  const allowed = (now: number, source = 'a') => correlator.correlate(seen('x', source), now) !== undefined;
  expect(Array.from({ length: 30 }, () => allowed(0)).filter(Boolean)).toHaveLength(25);
  expect(allowed(0, 'b')).toBe(true);
  expect(allowed(4 * minuteMs)).toBe(false);
  expect(allowed(6 * minuteMs)).toBe(true);
  expect(allowed(6 * minuteMs)).toBe(false);
});
