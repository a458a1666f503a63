import { expect, it } from 'vitest';
import { canonicalMicroTime, canonicalTime, timeError } from './time.ts';

it.each([
  ['times are written in UTC', '2026-01-01T01:00:00+01:00', '2026-01-01T00:00:00Z'],
  ['parts of a second are dropped', '2026-01-01T00:00:00.999Z', '2026-01-01T00:00:00Z'],
])('%s', (_what, given, expected) => {
  expect(canonicalTime(given)).toBe(expected);
});

it('a MicroTime keeps its six digits', () => {
  expect(canonicalMicroTime('2026-01-01T01:00:00.123456+01:00')).toBe('2026-01-01T00:00:00.123456Z');
});

it.each([
  ['a word is not a time', 'x', 'time', 'cannot parse "x" as "2006"'],
  ['a MicroTime needs six digits', '2026-01-01T00:00:00Z', 'microTime', 'cannot parse "Z" as ".000000"'],
] as const)('%s', (_what, given, kind, message) => {
  expect(timeError(given, kind)).toContain(message);
});
