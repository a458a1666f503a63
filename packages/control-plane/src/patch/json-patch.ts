import { isRecord, stringifyJson } from '@flotilla/schema';
import { badRequest, tooLarge } from '../errors/api-errors.ts';
import { goValue } from './go-format.ts';
import { cloneJson, equalJson, fieldOf, type JsonObject, type MutableJsonObject, setField } from './json.ts';
import { unprocessable } from './refusal.ts';

/** The most operations that one JSON patch may have. */
export const maxJsonPatchOperations = 10_000;

/** The most bytes that the `copy` operations of one patch may add: without it a small patch doubles a value again and again. */
const maxJsonPatchCopyBytes = 3 * 1024 * 1024;

/**
 * The most items of lists that the operations of one patch may move: each insertion and removal moves all that follow. This takes some
 * 50 ms, in which nobody else is served.
 */
const maxJsonPatchMoves = 100_000_000;

const knownFields = ['op', 'path', 'from', 'value'];

/**
 * A JSON patch (RFC 6902) with the API server's habits, which are wider than the RFC: `replace` of a missing field sets it,
 * negative indexes count from the end, a missing `value` is null, `test` of a missing field against null passes.
 */
export function applyJsonPatch(document: unknown, patch: unknown): unknown {
  const operations = decodeOperations(patch);
  if (operations.length > maxJsonPatchOperations) {
    throw tooLarge(
      `Request entity too large: The allowed maximum operations in a JSON patch is ${maxJsonPatchOperations}, got ${operations.length}`,
    );
  }
  const draft: Draft = { root: cloneJson(document), copiedBytes: 0, moves: 0 };
  for (const operation of operations) applyOperation(draft, operation);
  return draft.root;
}

/** What strict field validation complains about: fields of operations that JSON patch does not know. */
export function unknownJsonPatchFields(patch: unknown): string[] {
  if (!Array.isArray(patch)) return [];
  return patch.flatMap((operation, index) =>
    isRecord(operation)
      ? Object.keys(operation)
          .filter((name) => !knownFields.includes(name))
          .map((name) => `json patch unknown field "[${index}].${name}"`)
      : [],
  );
}

/** A private copy of the document that the operations change in place. */
interface Draft {
  root: unknown;
  copiedBytes: number;
  moves: number;
}

function decodeOperations(patch: unknown): readonly JsonObject[] {
  if (patch === null) return [];
  if (!Array.isArray(patch)) throw undecodable(patch, 'value of type []handlers.jsonPatchOp');
  return patch.map((operation: unknown) => {
    if (operation === null) return {};
    if (!isRecord(operation)) throw undecodable(operation, 'value of type handlers.jsonPatchOp');
    for (const name of ['op', 'path', 'from']) {
      const text = fieldOf(operation, name) ?? '';
      if (typeof text !== 'string') throw undecodable(text, `struct field jsonPatchOp.${name} of type string`);
    }
    return operation;
  });
}

function undecodable(value: unknown, into: string) {
  const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return badRequest(`error decoding patch: json: cannot unmarshal ${kind} into Go ${into}`);
}

function applyOperation(draft: Draft, operation: JsonObject): void {
  const op = fieldOf(operation, 'op');
  switch (op) {
    case 'add':
      add(draft, pointer(operation, 'path'), patchValue(operation));
      break;
    case 'remove':
      remove(draft, pointer(operation, 'path'));
      break;
    case 'replace':
      replace(draft, pointer(operation, 'path'), patchValue(operation));
      break;
    case 'move':
      move(draft, pointer(operation, 'from'), pointer(operation, 'path'));
      break;
    case 'copy':
      copy(draft, pointer(operation, 'from'), pointer(operation, 'path'));
      break;
    case 'test':
      test(draft, pointer(operation, 'path'), patchValue(operation));
      break;
    default:
      throw unprocessable(`operation "${goValue(op)}" is not add, remove, replace, move, copy or test`);
  }
}

/** The draft is changed in place, so it gets a copy of what the patch holds. */
const patchValue = (operation: JsonObject): unknown => cloneJson(fieldOf(operation, 'value') ?? null);

interface Pointer {
  readonly text: string;
  /** Empty for the whole document. */
  readonly keys: readonly string[];
}

function pointer(operation: JsonObject, name: 'path' | 'from'): Pointer {
  const text = fieldOf(operation, name);
  if (typeof text !== 'string') throw unprocessable(`an operation has no ${name}`);
  // What stands before the first slash is ignored, as the API server does.
  const [, ...segments] = text.split('/');
  return {
    text,
    keys: segments.map((segment) => segment.replace(/~[01]/g, (escaped) => (escaped === '~1' ? '/' : '~'))),
  };
}

/** Where a pointer leads: the object or list that holds its last key. */
type Place =
  | { readonly object: MutableJsonObject; readonly key: string }
  | { readonly list: unknown[]; readonly key: string };

function find(draft: Draft, at: Pointer): Place {
  const key = at.keys.at(-1);
  const container = at.keys.slice(0, -1).reduce<unknown>((node, step) => {
    if (Array.isArray(node)) return node[indexIn(node.length, step, at)];
    return isRecord(node) ? fieldOf(node, step) : undefined;
  }, draft.root);
  if (key !== undefined && Array.isArray(container)) return { list: container, key };
  if (key !== undefined && isMutable(container)) return { object: container, key };
  throw unprocessable(`the object has nothing at "${at.text}"`);
}

const isMutable = (value: unknown): value is MutableJsonObject => isRecord(value);

function add(draft: Draft, at: Pointer, value: unknown): void {
  const place = find(draft, at);
  if ('object' in place) setField(place.object, place.key, value ?? null);
  else if (place.key === '-') place.list.push(value);
  else splice(draft, place.list, indexIn(place.list.length + 1, place.key, at), 0, value);
}

function splice(draft: Draft, list: unknown[], index: number, deleted: 0 | 1, ...added: unknown[]): void {
  draft.moves += list.length - index;
  if (draft.moves > maxJsonPatchMoves) throw unprocessable('its operations move too many items of long lists');
  list.splice(index, deleted, ...added);
}

function remove(draft: Draft, at: Pointer): void {
  const place = find(draft, at);
  if ('list' in place) {
    splice(draft, place.list, indexIn(place.list.length, place.key, at), 1);
    return;
  }
  if (!Object.hasOwn(place.object, place.key)) throw unprocessable(`the object has nothing at "${at.text}"`);
  delete place.object[place.key];
}

function replace(draft: Draft, at: Pointer, value: unknown): void {
  if (at.text === '') {
    if (typeof value !== 'object' || value === null) throw unprocessable('the whole object can only become an object');
    draft.root = value;
    return;
  }
  const place = find(draft, at);
  if ('object' in place) setField(place.object, place.key, value);
  else place.list[indexIn(place.list.length, place.key, at)] = value;
}

function move(draft: Draft, from: Pointer, to: Pointer): void {
  const moved = lookup(draft, from);
  remove(draft, from);
  add(draft, to, moved);
}

function copy(draft: Draft, from: Pointer, to: Pointer): void {
  const copied = lookup(draft, from) ?? null;
  draft.copiedBytes += stringifyJson(copied).length;
  if (draft.copiedBytes > maxJsonPatchCopyBytes) throw unprocessable('its copy operations add more than 3 MiB');
  add(draft, to, cloneJson(copied));
}

function test(draft: Draft, at: Pointer, value: unknown): void {
  const found = at.text === '' ? draft.root : (lookup(draft, at) ?? null);
  if (!equalJson(found, value)) throw unprocessable(`the test of "${at.text}" failed`);
}

/** The value a pointer names; undefined when its container is there and the field is not. */
function lookup(draft: Draft, at: Pointer): unknown {
  const place = find(draft, at);
  if ('object' in place) return fieldOf(place.object, place.key);
  return place.list[indexIn(place.list.length, place.key, at)];
}

function indexIn(length: number, key: string, at: Pointer): number {
  const index = /^[+-]?\d+$/.test(key) ? Number(key) : Number.NaN;
  const fromStart = index < 0 ? index + length : index;
  // False for NaN as well.
  if (fromStart >= 0 && fromStart < length) return fromStart;
  throw unprocessable(`"${key}" in "${at.text}" is not an index of a list of ${length}`);
}
