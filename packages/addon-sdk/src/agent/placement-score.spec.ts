import { expect, it } from 'vitest';
import { placementScore } from './placement-score.ts';

it('[placement 98] scores a value between its bounds from -100 to 100, and is cut at both', () => {
  const scores = [-10, 0, 25, 50, 60].map((value) => placementScore(value, { min: 0, max: 50 }));
  expect(scores).toEqual([-100, -100, 0, 100, 100]);
  expect([10, 24.9].map((value) => placementScore(value, { min: 0, max: 50 }))).toEqual([-60, 0]);
});
