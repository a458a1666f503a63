/**
 * Turns a regular expression in Go's syntax (RE2) into one of JavaScript that matches the same texts.
 * They differ in `.` and `\s`, in anchors, named groups, POSIX classes, and in which escapes are allowed.
 * Leading flags such as `(?i)` are supported; flags inside an expression are not.
 */

const POSIX: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7F',
  blank: '\\t ',
  cntrl: '\\x00-\\x1F\\x7F',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`\\{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

/** Characters that JavaScript's unicode mode lets a backslash stand before. */
const SYNTAX = new Set('^$\\.*+?()[]{}|/'.split(''));

interface Cursor {
  readonly source: string;
  at: number;
}

const escapeSequence = (cursor: Cursor, inClass: boolean): string => {
  const { source } = cursor;
  const letter = source[cursor.at + 1] ?? '';
  cursor.at += 2;
  const rest = source.slice(cursor.at);
  const braces = /^\{[^}]*\}/.exec(rest)?.[0] ?? '';
  switch (letter) {
    case 's':
      return inClass ? '\\t\\n\\f\\r ' : '[\\t\\n\\f\\r ]';
    case 'S':
      if (inClass) throw new SyntaxError(`\\S inside a class is not supported in ${source}`);
      return '[^\\t\\n\\f\\r ]';
    case 'A':
      return '^';
    case 'z':
      return '$';
    case 'a':
      return '\\x07';
    case 'x': {
      const digits = braces ? braces.slice(1, -1) : rest.slice(0, 2);
      cursor.at += braces ? braces.length : 2;
      return `\\u{${digits}}`;
    }
    case 'p':
    case 'P':
      cursor.at += braces ? braces.length : 1;
      return `\\${letter}${braces || `{${rest[0] ?? ''}}`}`;
    case 'Q': {
      const end = rest.indexOf('\\E');
      const quoted = end < 0 ? rest : rest.slice(0, end);
      cursor.at += end < 0 ? quoted.length : end + 2;
      return [...quoted].map((each) => (SYNTAX.has(each) ? `\\${each}` : each)).join('');
    }
    default:
      if (/[dDwWbBtnvfr]/.test(letter)) return `\\${letter}`;
      if (/[0-9A-Za-z]/.test(letter)) throw new SyntaxError(`\\${letter} is not part of RE2 syntax in ${source}`);
      return SYNTAX.has(letter) || (inClass && letter === '-') ? `\\${letter}` : letter;
  }
};

const characterClass = (cursor: Cursor): string => {
  const { source } = cursor;
  let out = '[';
  cursor.at += 1;
  if (source[cursor.at] === '^') {
    out += '^';
    cursor.at += 1;
  }
  // A bracket that comes first is a literal in RE2.
  if (source[cursor.at] === ']') {
    out += '\\]';
    cursor.at += 1;
  }
  while (cursor.at < source.length && source[cursor.at] !== ']') {
    const posix = /^\[:(\^?)([a-z]+):\]/.exec(source.slice(cursor.at));
    const set = posix && !posix[1] ? POSIX[posix[2] ?? ''] : undefined;
    if (posix && set !== undefined) {
      out += set;
      cursor.at += posix[0].length;
    } else if (source[cursor.at] === '\\') {
      out += escapeSequence(cursor, true);
    } else {
      const letter = source[cursor.at] ?? '';
      out += letter === '[' ? '\\[' : letter;
      cursor.at += 1;
    }
  }
  cursor.at += 1;
  return `${out}]`;
};

const group = (cursor: Cursor): string => {
  const rest = cursor.source.slice(cursor.at);
  const named = /^\(\?P?<([A-Za-z_]\w*)>/.exec(rest);
  if (named) {
    cursor.at += named[0].length;
    return `(?<${named[1]}>`;
  }
  if (rest.startsWith('(?') && !rest.startsWith('(?:')) {
    throw new SyntaxError(`unsupported group ${rest.slice(0, 4)} in ${cursor.source}`);
  }
  cursor.at += rest.startsWith('(?:') ? 3 : 1;
  return rest.startsWith('(?:') ? '(?:' : '(';
};

/** Braces that are not a repetition are literals in RE2. */
const brace = (cursor: Cursor): string => {
  const repetition = /^\{\d+(,\d*)?\}/.exec(cursor.source.slice(cursor.at))?.[0];
  cursor.at += repetition?.length ?? 1;
  return repetition ?? '\\{';
};

/** The JavaScript expression for a pattern of a structural schema. */
export const compileGoRegExp = (pattern: string): RegExp => {
  const flags = /^\(\?([ims]+)\)/.exec(pattern);
  const cursor: Cursor = { source: pattern, at: flags ? flags[0].length : 0 };
  const dot = flags?.[1]?.includes('s') ? '[^]' : '[^\\n]';
  let out = '';
  while (cursor.at < pattern.length) {
    const letter = pattern[cursor.at] ?? '';
    if (letter === '\\') out += escapeSequence(cursor, false);
    else if (letter === '[') out += characterClass(cursor);
    else if (letter === '(') out += group(cursor);
    else if (letter === '{') out += brace(cursor);
    else {
      out += letter === '.' ? dot : letter === '}' || letter === ']' ? `\\${letter}` : letter;
      cursor.at += 1;
    }
  }
  return new RegExp(out, `u${(flags?.[1] ?? '').replaceAll('s', '')}`);
};
