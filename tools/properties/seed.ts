// The seed of the properties. A change gets the same cases each time, so that a spec that fails now and passed before is about the change. Every
// night has one seed for all of its specs and suites, which is printed when they start: one that hangs can be repeated too.
import { randomInt } from 'node:crypto';

const { env } = process;

/** What repeats the cases of a night. */
export const variable = 'FLOTILLA_PROPERTY_SEED';

/** Leaves room for what is added to it: seeds of fast-check have 32 bits with a sign. */
const seeds = 2 ** 30;

/** The seed of this night; undefined for a change. Throws if it is not one. */
export function nightSeed(text = env[variable]): number | undefined {
  if (text === undefined) return undefined;
  const seed = Number(text);
  if (text !== '' && Number.isInteger(seed) && seed >= 0 && seed < seeds) return seed;
  throw new Error(`${variable} is "${text}": set it to a whole number below ${seeds}, or unset it`);
}

/** The seed of a sample that is made once: its own for a change, another one every night. */
export const sampleSeed = (own: number, night = nightSeed()): number => (night ?? 0) + own;

/** Chooses the seed of a night unless there is one, for this process and those that it starts. */
export function chooseNightSeed(): number {
  const seed = nightSeed() ?? randomInt(seeds);
  env[variable] = String(seed);
  return seed;
}
