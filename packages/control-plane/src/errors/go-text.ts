const named: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};

/** A string as Go's `%q` prints it in the messages of the API server. */
export const goQuote = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is written differently.
  `"${text.replace(/["\\\x00-\x1f\x7f]/g, (character) => named[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`)}"`;

/** A list of strings as `%q` prints it: `["a" "b"]`. */
export const goQuoteList = (texts: readonly string[]): string => `[${texts.map(goQuote).join(' ')}]`;

/** Several errors as one message: each once, in brackets if there is more than one. */
export function joinMessages(messages: readonly string[]): string {
  const each = [...new Set(messages)];
  return each.length === 1 ? (each[0] ?? '') : `[${each.join(', ')}]`;
}
