import type { Environment } from '@marcbachmann/cel-js';
import { costOfCharacter } from '../cost.ts';
import type { ReplacedMethods } from '../expression-plan.ts';
import type { CompiledRegex, RegexEngine } from '../regex.ts';
import { type Charge, failure } from './library.ts';

/** What one character of a pattern costs for each that a character of the text costs. */
const costOfPattern = 0.25;

/** Kubernetes' functions on texts and regular expressions. */
export function registerRegex(environment: Environment, regex: RegexEngine, charge: Charge): void {
  const find = (text: string, pattern: string, most: number): string[] => {
    charge(costOf(text, pattern));
    return compile(regex, pattern).find(text, most);
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
export const regexMethods = (regex: RegexEngine): ReplacedMethods => ({
  'matches/1': ([text, pattern], meter) => {
    if (typeof text !== 'string' || typeof pattern !== 'string') return undefined;
    meter.charge(costOf(text, pattern));
    return compile(regex, pattern).test(text);
  },
});

const costOf = (text: string, pattern: string): number =>
  (text.length + 1) * costOfCharacter * Math.max(1, pattern.length * costOfPattern);

function compile(regex: RegexEngine, pattern: string): CompiledRegex {
  try {
    return regex(pattern);
  } catch (error) {
    throw failure(error instanceof Error ? error.message : String(error));
  }
}
