import { goQuote } from '../errors/go-text.ts';
import { labelValue, qualifiedName } from '../schema/names.ts';

/** One term of a label selector. */
interface Requirement {
  readonly key: string;
  readonly operator: 'in' | 'notin' | '=' | '!=' | 'exists' | 'absent' | '>' | '<';
  readonly values: readonly string[];
}

type Labels = Readonly<Record<string, string>>;

/**
 * A label selector as the API server reads it from a query, which is a little more than clients write: `a>1`, empty values, any space.
 * Throws SyntaxError with the server's words.
 */
export function parseQuerySelector(text: string): (labels: Labels) => boolean {
  const requirements = new Parser(text).requirements();
  return (labels) => requirements.every((requirement) => isMet(requirement, labels));
}

function isMet({ key, operator, values }: Requirement, labels: Labels): boolean {
  const has = Object.hasOwn(labels, key);
  const value = has ? (labels[key] ?? '') : '';
  switch (operator) {
    case 'exists':
      return has;
    case 'absent':
      return !has;
    case 'in':
    case '=':
      return has && values.includes(value);
    case 'notin':
    case '!=':
      return !has || !values.includes(value);
    default: {
      if (!has || !/^-?\d+$/.test(value)) return false;
      const bound = Number(values[0]);
      return operator === '>' ? Number(value) > bound : Number(value) < bound;
    }
  }
}

const tokens = /\s*(==|!=|[=!(),<>]|[^\s=!(),<>]+)/gy;
const symbols = new Set(['==', '!=', '=', '!', '(', ')', ',', '<', '>']);

class Parser {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = [...text.trim().matchAll(tokens)].map(([, token = '']) => token);
  }

  requirements(): Requirement[] {
    const found: Requirement[] = [];
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

  #requirement(): Requirement {
    try {
      const requirement = this.#term();
      check(requirement);
      return requirement;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new SyntaxError(`unable to parse requirement: ${error.message}`, { cause: error });
    }
  }

  #term(): Requirement {
    const absent = this.#peek() === '!';
    if (absent) this.#take();
    if (!this.#isIdentifier()) throw new SyntaxError(`found '${this.#peek()}', expected: identifier`);
    const key = this.#take();
    const wrong = qualifiedName(key);
    if (wrong.length > 0) throw new SyntaxError(`<nil>: Invalid value: ${goQuote(key)}: ${wrong.join('; ')}`);
    if (absent) return { key, operator: 'absent', values: [] };
    if (this.#peek() === '' || this.#peek() === ',') return { key, operator: 'exists', values: [] };
    const operator = this.#operator();
    const values = operator === 'in' || operator === 'notin' ? this.#values() : this.#exactValue();
    return { key, operator, values: [...new Set(values)].sort() };
  }

  #operator(): Requirement['operator'] {
    const token = this.#take();
    if (token === '==') return '=';
    const known = (['in', 'notin', '=', '!=', '>', '<'] as const).find((operator) => operator === token);
    if (known) return known;
    throw new SyntaxError(`found '${token}', expected: in, notin, =, ==, !=, gt, lt`);
  }

  #exactValue(): string[] {
    if (this.#peek() === '' || this.#peek() === ',') return [''];
    if (this.#isIdentifier()) return [this.#take()];
    throw new SyntaxError(`found '${this.#take()}', expected: identifier`);
  }

  #values(): string[] {
    const open = this.#take();
    if (open !== '(') throw new SyntaxError(`found '${open}' expected: '('`);
    if (this.#peek() === ')') {
      this.#take();
      return [];
    }
    if (!this.#isIdentifier() && this.#peek() !== ',') {
      throw new SyntaxError(`found '${this.#peek()}', expected: ',', ')' or identifier`);
    }
    const values: string[] = [];
    for (;;) {
      // Between two commas, or a comma and a bracket, stands an empty value.
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

function check({ operator, values }: Requirement): void {
  const [value = ''] = values;
  if ((operator === '>' || operator === '<') && !/^[+-]?\d+$/.test(value)) {
    throw new SyntaxError(
      `values[0]: Invalid value: ${goQuote(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
    );
  }
  for (const [index, one] of values.entries()) {
    const wrong = labelValue(one);
    if (wrong.length > 0) {
      throw new SyntaxError(`values[${index}]: Invalid value: ${goQuote(one)}: ${wrong.join('; ')}`);
    }
  }
}
