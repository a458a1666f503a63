import { type Environment, EvaluationError } from '@marcbachmann/cel-js';

/** Charges what a function costs beyond its call, before it does it. */
export type Charge = (units: number) => void;

/** Adds functions to an environment. */
export type Library = (environment: Environment, charge: Charge) => void;

/** The error of a function that has no result for its arguments. */
export const failure = (message: string): EvaluationError => new EvaluationError(message);

/** -1, 0 or 1, as CEL's functions called compareTo have it. */
export const compared = <T extends bigint | number>(left: T, right: T): bigint =>
  left < right ? -1n : left > right ? 1n : 0n;
