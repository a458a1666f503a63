/** Scores of an AddOnPlacementScore, by which placements rank clusters. */
const minScore = -100;
const maxScore = 100;

/** The values of a measurement that get the least and the greatest score. */
export interface ScoreBounds {
  readonly min: number;
  readonly max: number;
}

/**
 * Turns a measurement of a cluster into a score for its AddOnPlacementScore: from -100 at `min` to 100 at `max`, and never beyond.
 * Fractions are cut off, as OCM does.
 */
export function placementScore(value: number, { min, max }: ScoreBounds): number {
  if (Number.isNaN(value) || !(min <= max)) {
    throw new RangeError(
      `${value} between ${min} and ${max} has no score: give numbers, and a min that is not above max`,
    );
  }
  if (value > max) return maxScore;
  if (value <= min) return minScore;
  const score = Math.trunc(((maxScore - minScore) * (value - min)) / (max - min) + minScore);
  // JSON has no negative zero, and comparisons in tests tell the two apart.
  return score === 0 ? 0 : score;
}
