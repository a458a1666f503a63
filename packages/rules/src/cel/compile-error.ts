import { TypeError as CheckError, ParseError } from '@marcbachmann/cel-js';

/** An expression that cannot be compiled. The message is one line and names the position. */
export class CelCompileError extends Error {
  override readonly name = 'CelCompileError';
  /** The message, the line it is about, and a mark under the place: as cel-go prints it. */
  readonly display: string;

  constructor(message: string, options: ErrorOptions & { readonly snippet?: string } = {}) {
    super(message, options);
    this.display = options.snippet === undefined ? message : `${message}\n${options.snippet}`;
  }
}

/** The part of a parsed node that errors need. */
interface ErrorNode {
  readonly op?: string;
  readonly args?: unknown;
  readonly input?: string;
  readonly range?: { readonly start: number; readonly end: number };
}

/** What is wrong, and where in the expression. */
interface Issue {
  readonly why: string;
  readonly at: number;
}

/** In the form of cel-go, which users know: `ERROR: <input>:1:5: what is wrong`. */
export function compileError(
  error: unknown,
  expression: string,
  isFunction: (name: string) => boolean,
): CelCompileError {
  if (!(error instanceof ParseError || error instanceof CheckError)) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
    return new CelCompileError(`ERROR: <input>:1:1: ${line}`, { cause: error });
  }
  const { why, at } = issueOf(error, error.node ?? {}, expression, isFunction);
  const before = expression.slice(0, at).split('\n');
  const column = before.at(-1)?.length ?? 0;
  const line = expression.split('\n')[before.length - 1] ?? '';
  return new CelCompileError(`ERROR: <input>:${before.length}:${column + 1}: ${why}`, {
    cause: error,
    snippet: ` | ${line}\n | ${'.'.repeat(column)}^`,
  });
}

/** In the words and at the places of cel-go, where they are known. */
function issueOf(
  error: ParseError | CheckError,
  node: ErrorNode,
  expression: string,
  isFunction: (name: string) => boolean,
): Issue {
  const { code, summary } = error;
  const start = error.range?.start ?? 0;
  if (code === 'unknown_variable') {
    return {
      why: `undeclared reference to '${summary.replace(/^Unknown variable: /, '')}' (in container '')`,
      at: start,
    };
  }
  if (code === 'no_such_key') {
    // cel-go marks the dot, not the name after it.
    const dot = expression.lastIndexOf('.', start);
    return { why: `undefined field '${summary.replace(/^No such key: /, '')}'`, at: dot < 0 ? start : dot };
  }
  const operands = /^no such overload: (.+) (\S+) (.+)$/.exec(summary);
  if (code === 'no_such_overload' && operands) {
    const [, left = '', operator = '', right = ''] = operands;
    const name = operator === 'in' ? '@in' : `_${operator}_`;
    return {
      why: `found no matching overload for '${name}' applied to '(${celGoType(left)}, ${celGoType(right)})'`,
      at: operatorOf(node, expression, operator) ?? start,
    };
  }
  const call = /^found no matching overload for '(?:(.*)\.)?([A-Za-z_]\w*)\((.*)\)'$/.exec(summary);
  if (code === 'no_matching_overload' && call) {
    const [, receiver, name = '', parameters = ''] = call;
    const types = parameters === '' ? '' : parameters.split(', ').map(celGoType).join(', ');
    const paren = expression.indexOf(`${name}(`, start);
    const at = paren < 0 ? start : paren + name.length;
    if (!isFunction(name)) return { why: `undeclared reference to '${name}' (in container '')`, at };
    const applied = receiver === undefined ? `(${types})` : `${celGoType(receiver)}.(${types})`;
    return { why: `found no matching overload for '${name}' applied to '${applied}'`, at };
  }
  return { why: summary, at: start };
}

/** Where the operator between two operands stands. */
function operatorOf({ args }: ErrorNode, expression: string, operator: string): number | undefined {
  const left: unknown = Array.isArray(args) ? args[0] : undefined;
  if (typeof left !== 'object' || left === null || !('range' in left)) return undefined;
  const { range } = left as ErrorNode;
  const at = expression.indexOf(operator, range?.end ?? 0);
  return at < 0 ? undefined : at;
}

const renamed: Readonly<Record<string, string>> = {
  null: 'null_type',
  list: 'list(dyn)',
  map: 'map(dyn, dyn)',
  'google.protobuf.Timestamp': 'google.protobuf.Timestamp',
  'google.protobuf.Duration': 'google.protobuf.Duration',
};

/** The name of a type as cel-go writes it: `list(string)`, where the library has `list<string>`. */
export function celGoType(type: string): string {
  const known = renamed[type];
  if (known !== undefined) return known;
  return type
    .replace(/^optional</, 'optional_type<')
    .replaceAll('<', '(')
    .replaceAll('>', ')')
    .replace(/^\$/, '');
}
