// How often specs try their properties. A change gets the same cases each time, so that a spec that fails now and passed before is about the change.
// The nightly run (FLOTILLA_PROPERTY_RUNS=10) tries ten times as many, other ones each night; a failure prints the seed that repeats it.
import fc from 'fast-check';
import { vi } from 'vitest';

const { FLOTILLA_PROPERTY_RUNS: text } = process.env;
if (text === undefined) fc.configureGlobal({ numRuns: 100, seed: 1 });
else repeat(Number(text));

/** Multiplies the number of runs, also of properties that say how many they need. */
function repeat(factor: number): void {
  if (!Number.isInteger(factor) || factor < 1) {
    throw new Error(`FLOTILLA_PROPERTY_RUNS is "${text}": set it to a whole number from 1 on, or unset it`);
  }
  vi.doMock('fast-check', async (importOriginal) => {
    const original = await importOriginal<typeof import('fast-check')>();
    const assert = <T>(property: fc.IRawProperty<T>, { numRuns = 100, ...parameters }: fc.Parameters<T> = {}) =>
      original.assert(property, { ...parameters, numRuns: numRuns * factor });
    return { ...original, default: { ...original.default, assert }, assert };
  });
}
