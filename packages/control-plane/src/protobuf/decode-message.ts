import { isRecord, type Json, type JsonObject } from '@flotilla/schema';
import table from './messages.json' with { type: 'json' };
import { type Fail, WireReader } from './wire-reader.ts';
import { unwrap } from './wrappers.ts';

/**
 * Field number → name in JSON, form and type; see generate/protobuf-messages.ts. The form is `list`, `map`, `one`; `nonzero` for one that
 * JSON leaves out when it is empty, which is not the same as a pointer to an empty one; or `inline` for a Go struct that is embedded in
 * another, whose fields JSON writes as the other's own.
 */
type Fields = Readonly<Record<number, readonly string[]>>;

const messages: ReadonlyMap<string, Fields> = new Map(Object.entries<Fields>(table));

/** More than any schema of a custom resource needs, and little enough for the stack. */
const deepest = 1000;

/** The message of a kind, if it is known: `apps/v1` Deployment → `apps.v1.Deployment`. */
export function messageOf({
  group,
  version,
  kind,
}: {
  group: string;
  version: string;
  kind: string;
}): string | undefined {
  const name = `${group.split('.')[0] || 'core'}.${version}.${kind}`;
  return messages.has(name) ? name : undefined;
}

/** A message as the JSON that a client would have sent in its place. */
export function decodeMessage(bytes: Buffer, message: string, fail: Fail, depth = 0): Json {
  if (depth > deepest) return fail(`proto: messages are nested more than ${deepest} deep`);
  const fields = messages.get(message) ?? {};
  const goType = message.slice(message.lastIndexOf('.') + 1);
  const reader = new WireReader(bytes, fail);
  const object: JsonObject = {};
  while (!reader.done) {
    const { field, wireType } = reader.tag(goType);
    const known = fields[field];
    if (known === undefined) reader.skip(wireType);
    else readField(object, known, { reader, wireType, fail, depth });
  }
  return unwrap(message, object, fail);
}

interface Place {
  readonly reader: WireReader;
  readonly wireType: number;
  readonly fail: Fail;
  readonly depth: number;
}

function readField(object: JsonObject, [name = '', form, type = '']: readonly string[], place: Place): void {
  if (form === 'map') {
    const [key, value] = readEntry(type, place, name);
    const map = object[name];
    if (isRecord(map)) setOwn(map, key, value);
    else object[name] = setOwn({}, key, value);
  } else if (form === 'list') {
    const list = object[name];
    const values = readListed(type, place, name);
    if (Array.isArray(list)) for (const value of values) list.push(value);
    else object[name] = values;
  } else {
    const value = readValue(type, place, name);
    if (form === 'inline') Object.assign(object, value);
    else if (value !== null && !(form === 'nonzero' && isZero(value))) object[name] = value;
    else if (object[name] !== undefined) delete object[name];
  }
}

const isZero = (value: Json): boolean => value === '' || value === 0 || value === false;

/** Numbers of a list may come one by one or packed together. */
function readListed(type: string, place: Place, name: string): Json[] {
  if (wireTypes[type] !== 0 || place.wireType !== 2) return [readValue(type, place, name)];
  const reader = new WireReader(place.reader.bytes(), place.fail);
  const values: Json[] = [];
  while (!reader.done) values.push(readValue(type, { ...place, reader, wireType: 0 }, name));
  return values;
}

/** A map is a list of messages with the key as field 1 and the value as field 2. */
function readEntry(type: string, place: Place, name: string): [key: string, value: Json] {
  const { fail } = place;
  const reader = new WireReader(bytesOf(place, name), fail);
  let key = '';
  let value: Json | undefined;
  while (!reader.done) {
    const { field, wireType } = reader.tag(name);
    const within = { reader, wireType, fail, depth: place.depth };
    if (field === 1) key = bytesOf(within, name).toString('utf8');
    else if (field === 2) value = readValue(type, within, name);
    else reader.skip(wireType);
  }
  return [key, value ?? emptyValue(type, fail)];
}

const wireTypes: Readonly<Record<string, number>> = { bool: 0, int32: 0, int64: 0, double: 1, string: 2, bytes: 2 };

function readValue(type: string, place: Place, name: string): Json {
  const { reader, wireType, fail, depth } = place;
  if (wireType !== (wireTypes[type] ?? 2)) return fail(`proto: wrong wireType = ${wireType} for field ${goName(name)}`);
  switch (type) {
    case 'string':
      return reader.bytes().toString('utf8');
    case 'bytes':
      return reader.bytes().toString('base64');
    case 'bool':
      return reader.varint() !== 0n;
    case 'int32':
      return Number(BigInt.asIntN(32, reader.varint()));
    case 'int64':
      return exactInteger(BigInt.asIntN(64, reader.varint()));
    case 'double':
      return finite(reader.double(), fail);
    default:
      return decodeMessage(reader.bytes(), type, fail, depth + 1);
  }
}

/** A number if one can hold it, as JSON is read. */
const exactInteger = (value: bigint): number | bigint => (Number.isSafeInteger(Number(value)) ? Number(value) : value);

function bytesOf({ reader, wireType, fail }: Place, name: string): Buffer {
  return wireType === 2 ? reader.bytes() : fail(`proto: wrong wireType = ${wireType} for field ${goName(name)}`);
}

const finite = (value: number, fail: Fail): number =>
  Number.isFinite(value) ? value : fail(`json: unsupported value: ${value}`);

function emptyValue(type: string, fail: Fail): Json {
  return wireTypes[type] === undefined ? decodeMessage(Buffer.alloc(0), type, fail) : '';
}

/** The field of the Go struct, derived from its name in JSON. */
const goName = (name: string): string =>
  name === 'metadata' ? 'ObjectMeta' : `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** Sets a key that a client chose, which may be one that assignment treats specially. */
const setOwn = (map: JsonObject, key: string, value: Json): JsonObject =>
  Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
