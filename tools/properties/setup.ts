// How often specs try their properties, and with which seed. The nightly run (FLOTILLA_PROPERTY_RUNS=10) tries ten times as many.
import fc from 'fast-check';
import { beforeEach, vi } from 'vitest';
import { nightSeed, variable } from './seed.ts';

const { FLOTILLA_PROPERTY_RUNS: text } = process.env;
const seed = nightSeed();
fc.configureGlobal({ numRuns: 100, seed: seed ?? 1 });
if (text !== undefined) repeat(Number(text));
if (seed !== undefined) {
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => console.log(`${variable}=${seed}: ${task.name}`)));
}

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
