import { type CloudEvent, Extension } from './cloud-event.ts';
import { MalformedEvent, quoted } from './malformed.ts';

const decimal = /^\d{1,19}$/;

/**
 * The version of the object of an event, to compare with another one of the same object: the generation of a ManifestWork, which is an
 * integer on the wire, or the resource version of any other object, which is a string of digits.
 */
export function resourceVersion(event: CloudEvent): bigint {
  const value = event.extensions[Extension.ResourceVersion];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  if (typeof value === 'string' && decimal.test(value)) return BigInt(value);
  const found = value === undefined ? 'is not set' : `is ${quoted(value)}`;
  throw new MalformedEvent(`extension ${Extension.ResourceVersion} ${found}, and must be a whole number`);
}
