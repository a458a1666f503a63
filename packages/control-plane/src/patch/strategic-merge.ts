import { isRecord } from '@flotilla/schema';
import type { ResolveSchema, StructuralSchema } from '../contracts/structural-schema.ts';
import { badRequest } from '../errors/api-errors.ts';
import { isList, type JsonObject } from './json.ts';
import {
  checkOrder,
  directiveKey,
  kindOfItems,
  liveOrder,
  mergeLists,
  orderItems,
  unknownDirective,
  wrongType,
} from './strategic-lists.ts';
import { listField, mapField, type PatchField, type PatchSchema, patchSchema } from './strategic-schema.ts';

const retainKeysKey = '$retainKeys';
const deletePrefix = '$deleteFromPrimitiveList';
const orderPrefix = '$setElementOrder';

/** A patch or object while it is taken apart. */
type Fields = Map<string, unknown>;

/**
 * A strategic merge patch: a merge patch that also merges lists, by what the schema of a built-in kind says about them
 * (`x-kubernetes-patch-strategy`, `x-kubernetes-patch-merge-key`) and by directives in the patch.
 */
export function applyStrategicMergePatch(
  document: JsonObject,
  patch: unknown,
  schema: StructuralSchema,
  resolve: ResolveSchema,
): JsonObject {
  if (patch === null) return document;
  if (!isRecord(patch)) {
    const kind = isList(patch) ? 'array' : typeof patch === 'boolean' ? 'bool' : typeof patch;
    throw badRequest(`json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`);
  }
  return mergeMaps(document, patch, patchSchema(schema, resolve));
}

function mergeMaps(original: JsonObject, patchObject: JsonObject, schema: PatchSchema): JsonObject {
  if (Object.hasOwn(patchObject, directiveKey)) return applyMapDirective(patchObject);
  const patch: Fields = new Map(Object.entries(patchObject));
  const merged: Fields = new Map(Object.entries(original));
  applyRetainKeys(merged, patch);
  applyElementOrders(merged, patch, schema);
  for (const [key, value] of patch) {
    const deletes = key.startsWith(deletePrefix);
    mergeField(merged, deletes ? nameAfter(deletePrefix, key) : key, value, deletes, schema);
  }
  return Object.fromEntries(merged);
}

function applyMapDirective(patch: JsonObject): JsonObject {
  const directive = patch[directiveKey];
  if (directive === 'delete') return {};
  if (directive !== 'replace') throw unknownDirective(directive, patch);
  return Object.fromEntries(Object.entries(patch).filter(([key]) => key !== directiveKey));
}

/** `$retainKeys` names all fields that the map may have afterwards. */
function applyRetainKeys(merged: Fields, patch: Fields): void {
  if (!patch.has(retainKeysKey)) return;
  const list = patch.get(retainKeysKey);
  patch.delete(retainKeysKey);
  if (!isList(list)) throw badRequest('invalid patch format of retainKeys');
  const retained = new Set(list);
  for (const [key, value] of patch) {
    const isDirective = key.startsWith(deletePrefix) || key.startsWith(orderPrefix);
    if (value !== null && !isDirective && !retained.has(key)) throw badRequest('invalid patch format of retainKeys');
  }
  for (const key of [...merged.keys()]) if (!retained.has(key)) merged.delete(key);
}

/** Merges the lists that have a `$setElementOrder` and takes them and it out of the patch. */
function applyElementOrders(merged: Fields, patch: Fields, schema: PatchSchema): void {
  for (const [key, order] of [...patch]) {
    if (!key.startsWith(orderPrefix)) continue;
    patch.delete(key);
    if (!isList(order)) throw wrongType('[]interface {}', order);
    const name = nameAfter(orderPrefix, key);
    const original = listOf(merged, name);
    const list = listOf(patch, name);
    const field = listField(schema, name);
    checkOrder(list ?? [], order, field.mergeKey);
    if (!original && !list) continue;
    const items =
      original && list ? mergeByStrategy(original, list, field, false) : (original ?? withoutDirectives(list));
    if (!isList(items)) continue;
    kindOfItems(original ?? [], list ?? []);
    const merges = original && list && field.strategy === 'merge';
    const live = merges ? liveOrder(original, list, field.mergeKey) : (original ?? []);
    merged.set(name, orderItems(items, order, live, field.mergeKey));
    patch.delete(name);
  }
}

function listOf(fields: Fields, name: string): readonly unknown[] | undefined {
  if (!fields.has(name)) return undefined;
  const list = fields.get(name);
  if (!isList(list)) throw wrongType('[]interface {}', list);
  return list;
}

function nameAfter(prefix: string, key: string): string {
  if (key[prefix.length] === '/') return key.slice(prefix.length + 1);
  throw badRequest(
    prefix === orderPrefix ? 'invalid patch format of setElementOrder list' : 'invalid patch format of primitive list',
  );
}

function mergeField(merged: Fields, key: string, patch: unknown, deletes: boolean, schema: PatchSchema): void {
  const original = merged.get(key);
  if (patch === null) merged.delete(key);
  else if (isRecord(original) && isRecord(patch))
    merged.set(key, mergeMapField(original, patch, mapField(schema, key)));
  else if (isList(original) && isList(patch)) {
    merged.set(key, mergeByStrategy(original, patch, listField(schema, key), deletes));
  } else if (!deletes) {
    const isNew =
      original === undefined ||
      original === null ||
      isList(original) !== isList(patch) ||
      typeof original !== typeof patch;
    const value = withoutDirectives(isNew ? withoutNulls(patch) : patch);
    if (value === undefined) merged.delete(key);
    else merged.set(key, value);
  }
}

const mergeMapField = (original: JsonObject, patch: JsonObject, { strategy, below }: PatchField): JsonObject =>
  strategy === 'replace' ? patch : mergeMaps(original, patch, below);

function mergeByStrategy(original: readonly unknown[], patch: readonly unknown[], field: PatchField, deletes: boolean) {
  if (field.strategy !== 'merge' && !deletes) return patch;
  return mergeLists(original, patch, {
    mergeKey: field.mergeKey,
    deletes,
    mergeItem: (left, right) => mergeMaps(left, right, field.below),
  });
}

/** A value that is new: what only says how to merge is dropped. Undefined when nothing is left. */
function withoutDirectives(value: unknown): unknown {
  if (isList(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isRecord(value)) return value;
  if (Object.hasOwn(value, directiveKey)) return undefined;
  const fields = Object.entries(value).map(([key, field]): [string, unknown] => [key, withoutDirectives(field)]);
  return Object.fromEntries(fields.filter(([, field]) => field !== undefined));
}

/** A value that is new: there is nothing for its nulls to delete. */
function withoutNulls(value: unknown): unknown {
  if (isList(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(fields.map(([key, field]) => [key, withoutNulls(field)]));
}
