import type { Environment } from '@marcbachmann/cel-js';
import { compileRegex, type PatternSize, type Regex } from '../../regex/index.ts';
import { CelCostError, type CostMeter, costOfCharacter } from '../cost.ts';
import type { ReplacedMethods } from '../expression-plan.ts';
import { failure } from './library.ts';

/** What one character of a pattern costs for each that a character of the text costs. */
const costOfPattern = 0.25;
/** What one instruction of a compiled pattern costs for each that a character of the text costs. */
const costOfInstruction = 0.025;

/** What compiling costs, for each instruction and range of a pattern that is not known. Kubernetes does not charge it. */
const costOfCompiling = { instruction: 10, range: 0.5 };

/** What one character costs that is searched again for a further match, which reads the rest of the text at most. */
const costOfSearchedCharacter = 0.05;

/** Steps of matching in the time of one unit. */
const stepsPerUnit = 10;

/** Kubernetes' functions on texts and regular expressions. */
export function registerRegex(environment: Environment, metering: { readonly meter: CostMeter }): void {
  const find = (text: string, pattern: string, most: number): string[] => {
    const { meter } = metering;
    const expression = compile(pattern, meter);
    meter.charge(costOf(text, pattern, expression));
    let isFirst = true;
    // Each match is an item of a list, which is made after it was charged.
    return expression.find(text, most, (characters) => {
      meter.occupy((characters * expression.stepsPerCharacter) / stepsPerUnit);
      if (!isFirst) meter.charge(1 + characters * costOfSearchedCharacter * Math.max(1, sizeFactor(expression)));
      isFirst = false;
    });
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
    const expression = compile(pattern, meter);
    meter.charge(costOf(text, pattern, expression));
    meter.occupy((text.length * expression.stepsPerCharacter) / stepsPerUnit);
    return expression.test(text);
  },
};

/** As in Kubernetes, but for patterns whose repetitions make them far larger than they look. */
const costOf = (text: string, pattern: string, expression: Regex): number =>
  (text.length + 1) * costOfCharacter * Math.max(1, pattern.length * costOfPattern, sizeFactor(expression));

const sizeFactor = ({ size }: Regex): number => size * costOfInstruction;

function compile(pattern: string, meter: CostMeter): Regex {
  const charge = ({ instructions, ranges }: PatternSize): void =>
    meter.charge(instructions * costOfCompiling.instruction + ranges * costOfCompiling.range);
  try {
    return compileRegex(pattern, charge);
  } catch (error) {
    if (error instanceof CelCostError) throw error;
    throw failure(error instanceof Error ? error.message : String(error));
  }
}
