import { stringifyJson } from '@flotilla/kube/meta';
import type { PathBudget } from '@flotilla/rules/jsonpath';
import { isRecord } from '@flotilla/schema';

/**
 * JSON as Go writes it: compact, keys sorted, and safe to put into HTML. Undefined if it has more than `maxBytes`; no more than that is
 * written. The keys of maps are charged.
 */
export function goJson(value: unknown, maxBytes: number, budget: PathBudget): string | undefined {
  let text = '';
  let bytes = 0;
  const put = (part: string): boolean => {
    bytes += Buffer.byteLength(part);
    text += part;
    return bytes <= maxBytes;
  };
  const write = (part: unknown): boolean => {
    if (Array.isArray(part)) {
      return put('[') && part.every((item, at) => (at === 0 || put(',')) && write(item)) && put(']');
    }
    if (isRecord(part)) {
      const keys = budget.keysOf(part);
      return (
        put('{') &&
        keys.every((key, at) => (at === 0 || put(',')) && write(key) && put(':') && write(part[key])) &&
        put('}')
      );
    }
    // Each letter of a text takes a byte at least.
    if (typeof part === 'string' && part.length > maxBytes) return false;
    return put(stringifyJson(part).replace(/[<>&\u2028\u2029]/g, escaped));
  };
  return write(value) ? text : undefined;
}

const escaped = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
