/** Longer than any name in Kubernetes. What is longer is only compared, since searching in it takes time for each of its letters. */
const maxText = 1024;

/** Whether a text fits a pattern in which `*` stands for any run of characters, and every other character for itself. */
export function matchesWildcard(pattern: string, text: string): boolean {
  if (!pattern.includes('*')) return pattern === text;
  if (text.length > maxText || pattern.length > 2 * maxText) return isPrefix(pattern, text);
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop() ?? '';
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  // Taking the earliest place of each middle part leaves the most room for the next, so that nothing is tried twice.
  let from = first.length;
  const end = text.length - last.length;
  for (const part of rest) {
    const at = text.indexOf(part, from);
    if (at < 0 || at + part.length > end) return false;
    from = at + part.length;
  }
  return true;
}

/** Whether a pattern has one star, at its end, and the text begins with the rest. */
const isPrefix = (pattern: string, text: string): boolean =>
  pattern.indexOf('*') === pattern.length - 1 && text.startsWith(pattern.slice(0, -1));
