/** One term of a field selector. */
export interface FieldTerm {
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}

/**
 * A field selector as kube-apiserver reads it: terms between commas that no backslash escapes, in the order of their text. Authorization and
 * selection both use this parser, because a term that only one of them sees would be a permission that was not granted. Throws SyntaxError with the
 * server's words.
 */
export function parseFieldSelector(text: string): FieldTerm[] {
  return splitTerms(text)
    .filter((term) => term !== '')
    .sort()
    .map((term) => {
      const [, field, operator, value] = /^(.*?)(!=|==|=)(.*)$/s.exec(term) ?? [];
      if (field === undefined || value === undefined) {
        throw new SyntaxError(`invalid selector: '${text}'; can't understand '${term}'`);
      }
      return { field, equal: operator !== '!=', value: unescapeValue(value) };
    });
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === ',') {
      terms.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...terms, text.slice(start)];
}

function unescapeValue(escaped: string): string {
  let value = '';
  for (const [part, , after] of escaped.matchAll(/(\\(.?))|./gsu)) {
    if (part.startsWith('\\')) {
      if (!after || !'\\,='.includes(after)) {
        throw new SyntaxError(`invalid field selector: invalid escape sequence: ${part}`);
      }
      value += after;
    } else if (part === ',' || part === '=') {
      // The server writes the number of the character.
      throw new SyntaxError(`invalid field selector: unescaped character in value: ${part.codePointAt(0)}`);
    } else value += part;
  }
  return value;
}
