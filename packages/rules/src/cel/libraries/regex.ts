import type { Environment } from '@marcbachmann/cel-js';
import { compileRegex, type Regex } from '../../regex/regex.ts';
import { costOfCharacter } from '../cost.ts';
import type { ReplacedMethods } from '../expression-plan.ts';
import { type Charge, failure } from './library.ts';

/** What one character of a pattern costs for each that a character of the text costs. */
const costOfPattern = 0.25;
/** What one instruction of a compiled pattern costs for each that a character of the text costs. */
const costOfInstruction = 0.025;

/** Kubernetes' functions on texts and regular expressions. */
export function registerRegex(environment: Environment, charge: Charge): void {
  const find = (text: string, pattern: string, most: number): string[] => {
    const expression = compile(pattern);
    charge(costOf(text, pattern, expression));
    // Each match is an item of a list, which is made after it was charged.
    return expression.find(text, most, () => charge(1));
  };
  environment
    .registerFunction('string.find(string): string', (text: string, pattern: string) => find(text, pattern, 1)[0] ?? '')
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) =>
      find(text, pattern, Number.POSITIVE_INFINITY),
    )
    .registerFunction('string.findAll(string, int): list<string>', (text: string, pattern: string, most: bigint) =>
      find(text, pattern, most < 0n ? Number.POSITIVE_INFINITY : Number(most)),
    );
}

/** The library matches with JavaScript's expressions, which speak another language and may take for ever. */
export const regexMethods: ReplacedMethods = {
  'matches/1': ([text, pattern], meter) => {
    if (typeof text !== 'string' || typeof pattern !== 'string') return undefined;
    const expression = compile(pattern);
    meter.charge(costOf(text, pattern, expression));
    return expression.test(text);
  },
};

/** As in Kubernetes, but for patterns whose repetitions make them far larger than they look. */
const costOf = (text: string, pattern: string, { size }: Regex): number =>
  (text.length + 1) * costOfCharacter * Math.max(1, pattern.length * costOfPattern, size * costOfInstruction);

function compile(pattern: string): Regex {
  try {
    return compileRegex(pattern);
  } catch (error) {
    throw failure(error instanceof Error ? error.message : String(error));
  }
}
