import { isRecord } from '@flotilla/rules/values';

/** Applies a JSON merge patch (RFC 7386). */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result = new Map(Object.entries(isRecord(target) ? target : {}));
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) result.delete(field);
    else result.set(field, mergePatch(result.get(field), value));
  }
  return Object.fromEntries(result);
}
