import { type Json, type JsonObject, parseJson } from '@flotilla/schema';
import type { Fail } from './wire-reader.ts';

/** Makes what JSON has in place of a message from the message's fields; those of type bytes are in base64, absent ones are undefined. */
type Wrapper = (fields: JsonObject, fail: Fail) => Json;

/** Year 1 is what Go calls the zero time, and year 9999 the last that RFC 3339 can say. */
const zeroTime = -62_135_596_800;
const latestTime = 253_402_300_799;

const time: Wrapper = (fields, fail) => {
  const seconds = numberOf(fields.seconds);
  return isZeroTime(fields, seconds) ? null : `${toSeconds(seconds, fail)}Z`;
};

const microTime: Wrapper = (fields, fail) => {
  const seconds = numberOf(fields.seconds);
  const micros = Math.trunc(numberOf(fields.nanos) / 1000);
  if (isZeroTime(fields, seconds) && micros === 0) return null;
  const carried = Math.floor(micros / 1_000_000);
  const rest = micros - carried * 1_000_000;
  return `${toSeconds(seconds + carried, fail)}.${String(rest).padStart(6, '0')}Z`;
};

const isZeroTime = (fields: JsonObject, seconds: number): boolean =>
  Object.keys(fields).length === 0 || seconds === zeroTime;

function toSeconds(seconds: number, fail: Fail): string {
  if (seconds < zeroTime || seconds > latestTime) return fail(`time ${seconds} is not in the years 1 to 9999`);
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}

const intOrString: Wrapper = ({ type = 0, intVal = 0, strVal = '' }, fail) => {
  if (type === 0) return intVal;
  return type === 1 ? strVal : fail('impossible IntOrString.Type');
};

/** A message that holds JSON as text. */
const rawJson =
  (field: string): Wrapper =>
  (fields, fail) => {
    const text = Buffer.from(String(fields[field] ?? ''), 'base64').toString('utf8');
    if (text === '') return null;
    try {
      return parseJson(text) as Json;
    } catch (error) {
      return fail(`json parse error: ${error instanceof Error ? error.message : String(error)}`);
    }
  };

/** A list that Go had to give a message of its own, to be a map's value. */
const items: Wrapper = (fields) => fields.items ?? null;

/**
 * Messages that are not objects in JSON: their Go types write themselves. A new one is missed by generate/protobuf-messages.ts, which
 * fails for a message that is neither an object nor here.
 */
const wrappers: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ['meta.v1.Time', time],
  ['meta.v1.MicroTime', microTime],
  ['meta.v1.FieldsV1', rawJson('Raw')],
  ['api.resource.Quantity', (fields) => fields.string ?? '0'],
  ['util.intstr.IntOrString', intOrString],
  ['pkg.runtime.RawExtension', rawJson('raw')],
  ['authentication.v1.ExtraValue', items],
  ['authorization.v1.ExtraValue', items],
  ['certificates.v1.ExtraValue', items],
  ['apiextensions.v1.JSON', rawJson('raw')],
  ['apiextensions.v1.JSONSchemaPropsOrArray', ({ schema = null, jSONSchemas }) => jSONSchemas ?? schema],
  ['apiextensions.v1.JSONSchemaPropsOrBool', ({ schema, allows = false }) => schema ?? allows],
  ['apiextensions.v1.JSONSchemaPropsOrStringArray', ({ schema = null, property }) => property ?? schema],
]);

const numberOf = (value: Json | undefined): number =>
  typeof value === 'number' || typeof value === 'bigint' ? Number(value) : 0;

/** Whether a message is something else than an object in JSON. */
export const isWrapper = (message: string): boolean => wrappers.has(message);

/** A message in the form it has in JSON. */
export function unwrap(message: string, fields: JsonObject, fail: Fail): Json {
  const wrapper = wrappers.get(message);
  return wrapper ? wrapper(fields, fail) : fields;
}
