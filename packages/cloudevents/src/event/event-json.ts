import { parseJson } from '@flotilla/kube/meta';
import { isRecord } from '@flotilla/schema';
import { type CloudEvent, dataText } from './cloud-event.ts';
import { MalformedEvent } from './malformed.ts';

/** The JSON object in the data of an event. */
export const dataObject = (event: CloudEvent): Record<string, unknown> => jsonObject('the data', dataText(event));

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
