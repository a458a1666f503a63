/** The values between which an add-on measures. */
export interface ScoreBounds {
  /** This and less is the lowest score. */
  readonly min: number;
  /** More than this is the highest score. */
  readonly max: number;
}

/** A measured value as the score of an AddOnPlacementScore: a whole number from -100 to 100. */
export function placementScore(value: number, { min, max }: ScoreBounds): number {
  if (value > max) return 100;
  if (value <= min) return -100;
  const score = Math.trunc((200 * (value - min)) / (max - min) - 100);
  // JSON has no negative zero, and a comparison with what was written must find none.
  return score === 0 ? 0 : score;
}
