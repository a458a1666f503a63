import { canonicalText, isRecord, type Json } from '@flotilla/rules/values';
import type { StructuralSchema } from './structural-schema.ts';

// Which part of the old object a part of the new one is compared with on an update.

/** Fields belong together by name. */
export const correlatedField = (old: Json | undefined, name: string): Json | undefined =>
  isRecord(old) && Object.hasOwn(old, name) ? old[name] : undefined;

/** Items belong together by the keys of a list of type map; items of other lists have no old counterpart. */
export const correlatedItems = (
  list: readonly Json[],
  old: Json | undefined,
  schema: StructuralSchema,
): (Json | undefined)[] => {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (schema['x-kubernetes-list-type'] !== 'map' || !keys || !Array.isArray(old)) return [];
  const identity = (item: Json) => canonicalText(keys.map((key) => (isRecord(item) ? (item[key] ?? null) : null)));
  const byKey = new Map(old.map((item) => [identity(item), item]));
  return list.map((item) => byKey.get(identity(item)));
};
