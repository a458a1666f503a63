import { JsonPathError } from './nodes.ts';

const simple: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};

const pieces = /\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3}|.)|[^\\]+|\\$/gs;

/** The text of a literal between single or double quotes, with Go's escapes. */
export function unquote(quoted: string): string {
  const quote = quoted.charAt(0);
  const wrong = new JsonPathError(`unquote string ${quoted} error invalid syntax`);
  const inner = quoted.slice(1, -1);
  if (!inner.includes('\\')) return inner;
  return inner.replace(pieces, (whole, sequence?: string) => {
    if (sequence === undefined) {
      if (whole === '\\') throw wrong;
      return whole;
    }
    if (simple[sequence] !== undefined) return simple[sequence];
    if (sequence === quote) return quote;
    const code = /^[xuU]./.test(sequence) ? Number.parseInt(sequence.slice(1), 16) : Number.parseInt(sequence, 8);
    const valid = /^([xuU][0-9a-fA-F]{2,}|[0-7]{3})$/.test(sequence);
    const surrogate = code >= 0xd800 && code <= 0xdfff;
    if (!valid || surrogate || code > 0x10ffff || (/^[0-7]/.test(sequence) && code > 0xff)) throw wrong;
    return String.fromCodePoint(code);
  });
}
