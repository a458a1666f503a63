// How often specs try their properties. A change gets the same cases each time, so that a spec that fails now and passed before is about the change.
// The nightly run (FLOTILLA_PROPERTY_RUNS=10) tries ten times as many, other ones each night; a failure prints the seed that repeats it.
import fc from 'fast-check';

const { FLOTILLA_PROPERTY_RUNS: factor } = process.env;
fc.configureGlobal(factor === undefined ? { numRuns: 100, seed: 1 } : { numRuns: 100 * Number(factor) });
