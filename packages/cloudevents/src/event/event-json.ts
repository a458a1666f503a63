import { parseJson } from '@flotilla/kube/meta';
import { isRecord } from '@flotilla/schema';
import { type CloudEvent, dataText } from './cloud-event.ts';
import { MalformedEvent } from './malformed.ts';

/** By the data: whoever authorizes an event and whoever handles it read the same. */
const parsed = new WeakMap<Uint8Array, Record<string, unknown>>();

/** The JSON object in the data of an event, which is read once. */
export function dataObject(event: CloudEvent): Record<string, unknown> {
  const known = event.data && parsed.get(event.data);
  if (known) return known;
  const object = jsonObject('the data', dataText(event));
  if (event.data) parsed.set(event.data, object);
  return object;
}

/** Reads a JSON object; `what` names it in the error. */
export function jsonObject(what: string, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new MalformedEvent(`${what} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (!isRecord(value)) throw new MalformedEvent(`${what} is not a JSON object`);
  return value;
}
