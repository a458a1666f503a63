import fc from 'fast-check';
import { expect, it } from 'vitest';
import { humanDuration } from './human-duration.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

it.each([
  [0, '0s'],
  [999, '0s'],
  [-1999, '0s'],
  [-2000, '<invalid>'],
  [Number.NaN, '<invalid>'],
  [119 * second, '119s'],
  [2 * minute, '2m'],
  [2 * minute + 5 * second, '2m5s'],
  [10 * minute + 5 * second, '10m'],
  [179 * minute, '179m'],
  [3 * hour, '3h'],
  [3 * hour + 20 * minute, '3h20m'],
  [8 * hour + 20 * minute, '8h'],
  [47 * hour, '47h'],
  [2 * day, '2d'],
  [2 * day + 3 * hour, '2d3h'],
  [8 * day + 3 * hour, '8d'],
  [729 * day, '729d'],
  [730 * day, '2y'],
  [731 * day, '2y1d'],
  [8 * 365 * day + 40 * day, '8y'],
])('%d milliseconds are shown as %s', (ms, text) => {
  expect(humanDuration(ms)).toBe(text);
});

it('shows any duration in one or two units', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e14, noNaN: true }), (ms) => {
      expect(humanDuration(ms)).toMatch(/^\d+[smhdy](\d+[smhd])?$/);
    }),
  );
});
