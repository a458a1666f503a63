// Runs once, before the workers are started, which get what it sets.
import { chooseNightSeed, nightSeed, variable } from './seed.ts';

/** Gives a long run that is started by hand a seed, and says which. That of the night has its seed before. */
export default function setup(): void {
  if (process.env.FLOTILLA_PROPERTY_RUNS === undefined || nightSeed() !== undefined) return;
  console.log(`${variable}=${chooseNightSeed()}`);
}
