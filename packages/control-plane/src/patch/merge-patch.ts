import { isRecord } from '@flotilla/schema';
import { badRequest } from '../errors/api-errors.ts';
import { isList, type JsonObject } from './json.ts';

/**
 * A JSON merge patch (RFC 7386). Where a value is new, nulls are dropped inside of lists too, as the API server does
 * and the RFC does not.
 */
export function applyMergePatch(document: JsonObject, patch: unknown): JsonObject {
  if (patch === null) throw badRequest('Invalid JSON Patch');
  if (!isRecord(patch)) {
    const kind = isList(patch) ? 'array' : typeof patch === 'boolean' ? 'bool' : typeof patch;
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`,
    );
  }
  return merge(document, patch);
}

function merge(document: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(document));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergeValue(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

function mergeValue(current: unknown, patch: unknown): unknown {
  if (!isRecord(current)) return withoutNulls(patch);
  return isRecord(patch) ? merge(current, patch) : patch;
}

function withoutNulls(value: unknown): unknown {
  if (isList(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(kept.map(([key, field]) => [key, withoutNulls(field)]));
}
