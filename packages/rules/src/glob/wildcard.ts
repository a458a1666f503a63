/** Longer than any name in Kubernetes. What is longer is only compared, since searching in it takes time for each of its letters. */
const maxText = 1024;

/** Whether a text fits a pattern. */
export type Wildcard = (text: string) => boolean;

/** Whether a text fits a pattern in which `*` stands for any run of characters, and every other character for itself. */
export const matchesWildcard = (pattern: string, text: string): boolean => compileWildcard(pattern)(text);

/** Reads a pattern once, for all texts that are compared with it. */
export function compileWildcard(pattern: string): Wildcard {
  if (!pattern.includes('*')) return (text) => text === pattern;
  if (pattern.length > 2 * maxText) return (text) => isPrefix(pattern, text);
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop() ?? '';
  // Two stars mean as much as one.
  const middle = rest.filter((part) => part !== '');
  const letters = middle.reduce((sum, { length }) => sum + length, first.length + last.length);
  return (text) => {
    // Most hostile patterns have more letters than a name, and nothing is searched for then.
    if (text.length < letters) return false;
    if (text.length > maxText) return isPrefix(pattern, text);
    return text.startsWith(first) && text.endsWith(last) && hasInOrder(text, middle, first.length, last.length);
  };
}

/** Whether a text has all parts one after another, between so many letters at its start and at its end. */
function hasInOrder(text: string, parts: readonly string[], atStart: number, atEnd: number): boolean {
  // Taking the earliest place of each part leaves the most room for the next, so that nothing is tried twice.
  let from = atStart;
  const end = text.length - atEnd;
  for (const part of parts) {
    const at = text.indexOf(part, from);
    if (at < 0 || at + part.length > end) return false;
    from = at + part.length;
  }
  return true;
}

/** Whether a pattern has one star, at its end, and the text begins with the rest. */
const isPrefix = (pattern: string, text: string): boolean =>
  pattern.indexOf('*') === pattern.length - 1 && text.startsWith(pattern.slice(0, -1));
