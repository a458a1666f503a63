import type { LabelRequirement } from './labels.ts';

/** What a caller makes of the parts of a selector as they are read. Each throws for what it refuses. */
export interface RequirementChecks {
  /** Called before the operator is read, so that the first error in the text is the one that is reported. */
  checkKey(key: string): void;
  checkRequirement(requirement: LabelRequirement): void;
}

/**
 * The requirements of a label selector in text form, as the API server reads them: besides what `kubectl` documents also `a>1` (`Gt`), `a<1`
 * (`Lt`), empty values and any space. Throws SyntaxError with the server's words.
 */
export const parseToRequirements = (text: string, checks: RequirementChecks): LabelRequirement[] =>
  new Parser(text, checks).requirements();

const operators: Readonly<Record<string, string>> = {
  in: 'In',
  notin: 'NotIn',
  '=': 'In',
  '==': 'In',
  '!=': 'NotIn',
  '>': 'Gt',
  '<': 'Lt',
};
const tokens = /\s*(==|!=|[=!(),<>]|[^\s=!(),<>]+)/gy;
const symbols = new Set(['==', '!=', '=', '!', '(', ')', ',', '<', '>']);

class Parser {
  readonly #tokens: readonly string[];
  readonly #checks: RequirementChecks;
  #at = 0;

  constructor(text: string, checks: RequirementChecks) {
    this.#tokens = [...text.trim().matchAll(tokens)].map(([, token = '']) => token);
    this.#checks = checks;
  }

  requirements(): LabelRequirement[] {
    const found: LabelRequirement[] = [];
    while (this.#peek() !== '') {
      if (!this.#isIdentifier() && this.#peek() !== '!') {
        throw new SyntaxError(`found '${this.#peek()}', expected: !, identifier, or 'end of string'`);
      }
      found.push(this.#requirement());
      const next = this.#take();
      if (next === '') break;
      if (next !== ',') throw new SyntaxError(`found '${next}', expected: ',' or 'end of string'`);
      if (!this.#isIdentifier() && this.#peek() !== '!') {
        throw new SyntaxError(`found '${this.#peek()}', expected: identifier after ','`);
      }
    }
    return found;
  }

  #requirement(): LabelRequirement {
    try {
      const requirement = this.#term();
      this.#checks.checkRequirement(requirement);
      return requirement;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new SyntaxError(`unable to parse requirement: ${error.message}`, { cause: error });
    }
  }

  #term(): LabelRequirement {
    const absent = this.#peek() === '!';
    if (absent) this.#take();
    if (!this.#isIdentifier()) throw new SyntaxError(`found '${this.#peek()}', expected: identifier`);
    const key = this.#take();
    this.#checks.checkKey(key);
    if (absent) return { key, operator: 'DoesNotExist', values: [] };
    if (this.#peek() === '' || this.#peek() === ',') return { key, operator: 'Exists', values: [] };
    const sign = this.#take();
    const operator = Object.hasOwn(operators, sign) ? operators[sign] : undefined;
    if (operator === undefined) {
      throw new SyntaxError(`found '${sign}', expected: in, notin, =, ==, !=, gt, lt`);
    }
    const values = sign === 'in' || sign === 'notin' ? this.#values() : this.#exactValue();
    return { key, operator, values: [...new Set(values)].sort() };
  }

  #exactValue(): string[] {
    if (this.#peek() === '' || this.#peek() === ',') return [''];
    if (this.#isIdentifier()) return [this.#take()];
    throw new SyntaxError(`found '${this.#take()}', expected: identifier`);
  }

  #values(): string[] {
    const open = this.#take();
    if (open !== '(') throw new SyntaxError(`found '${open}' expected: '('`);
    if (!this.#isIdentifier() && this.#peek() !== ',' && this.#peek() !== ')') {
      throw new SyntaxError(`found '${this.#peek()}', expected: ',', ')' or identifier`);
    }
    const values: string[] = [];
    for (;;) {
      // Between two commas, a comma and a parenthesis, or two parentheses stands an empty value.
      values.push(this.#isIdentifier() ? this.#take() : '');
      const next = this.#peek();
      if (next !== ',' && next !== ')') throw new SyntaxError(`found '${next}', expected: ',' or ')'`);
      this.#take();
      if (next === ')') return values;
    }
  }

  #isIdentifier(): boolean {
    const token = this.#peek();
    return token !== '' && !symbols.has(token);
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? '';
  }

  #take(): string {
    const token = this.#peek();
    this.#at++;
    return token;
  }
}
