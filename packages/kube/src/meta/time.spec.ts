import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatMicroTime, formatTime, parseTime } from './time.ts';

describe('times', () => {
  it('have whole seconds in a Time and six digits in a MicroTime', () => {
    const ms = Date.parse('2026-01-02T03:04:05.678Z');
    expect(formatTime(ms)).toBe('2026-01-02T03:04:05Z');
    expect(formatMicroTime(ms)).toBe('2026-01-02T03:04:05.678000Z');
    expect(formatMicroTime(ms + 0.25)).toBe('2026-01-02T03:04:05.678250Z');
  });

  it('are read as they were written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), (ms) => {
        expect(parseTime(formatMicroTime(ms))).toBe(ms);
        expect(parseTime(formatTime(ms))).toBe(ms - (ms % 1000));
      }),
    );
  });

  it.each([undefined, '', 'soon'])('cannot be read from %j', (text) => {
    expect(parseTime(text)).toBeUndefined();
  });
});
