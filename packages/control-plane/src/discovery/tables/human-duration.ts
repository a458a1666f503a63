const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** Formats of durations, from the shortest: below `below` in `unit`s, with the remainder in `rest` units where it matters. */
const forms: readonly {
  readonly below: number;
  readonly unit: readonly [ms: number, letter: string];
  readonly rest?: readonly [ms: number, letter: string];
}[] = [
  { below: 2 * minute, unit: [second, 's'] },
  { below: 10 * minute, unit: [minute, 'm'], rest: [second, 's'] },
  { below: 3 * hour, unit: [minute, 'm'] },
  { below: 8 * hour, unit: [hour, 'h'], rest: [minute, 'm'] },
  { below: 2 * day, unit: [hour, 'h'] },
  { below: 8 * day, unit: [day, 'd'], rest: [hour, 'h'] },
  { below: 2 * year, unit: [day, 'd'] },
  { below: 8 * year, unit: [year, 'y'], rest: [day, 'd'] },
  { below: Number.POSITIVE_INFINITY, unit: [year, 'y'] },
];

/** A duration in two or three figures, as kubectl shows ages: `45s`, `3m20s`, `5d3h`. */
export function humanDuration(ms: number): string {
  // Clocks of two machines differ: what lies a moment in the future is now.
  if (ms <= -2 * second) return '<invalid>';
  const span = Math.max(ms, 0);
  const form = forms.find(({ below }) => span < below);
  if (!form) return '<invalid>';
  const [size, letter] = form.unit;
  const whole = `${Math.floor(span / size)}${letter}`;
  if (!form.rest) return whole;
  const [restSize, restLetter] = form.rest;
  const rest = Math.floor((span % size) / restSize);
  return rest === 0 ? whole : `${whole}${rest}${restLetter}`;
}
