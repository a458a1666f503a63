import { describe, expect, it } from 'vitest';
import { placementScore } from './placement-score.ts';

describe('the score of a measurement', () => {
  it('[placement 15.5-98] is between -100 and 100, wherever the measurement is', () => {
    const scores = [-10, 0, 25, 50, 60].map((value) => placementScore(value, { min: 0, max: 50 }));
    expect(scores).toEqual([-100, -100, 0, 100, 100]);
  });

  it('is a whole number, cut off towards zero', () => {
    expect(placementScore(1, { min: 0, max: 3 })).toBe(-33);
    expect(placementScore(2, { min: 0, max: 3 })).toBe(33);
    expect(placementScore(24.9, { min: 0, max: 50 })).toBe(0);
  });

  it('is the least or the greatest where all clusters may have one value only', () => {
    expect([4, 5, 6].map((value) => placementScore(value, { min: 5, max: 5 }))).toEqual([-100, -100, 100]);
  });

  it.each([
    [Number.NaN, { min: 0, max: 1 }],
    [1, { min: 2, max: 1 }],
    [1, { min: Number.NaN, max: 1 }],
  ])('is refused for %d between %o', (value, bounds) => {
    expect(() => placementScore(value, bounds)).toThrow('has no score');
  });
});
