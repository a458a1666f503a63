import type { JsonObject } from '@flotilla/schema';
import { arbitraryObject, breakField, breakObject, createRandom, disturbObject } from '@flotilla/schema/testing';
import type { ValidatedKind } from '@flotilla/schema/validation';

/** An object to send to both validators. A failing one is made again by its seed. */
export interface GeneratedCase {
  readonly seed: number;
  readonly what: string;
  readonly object: JsonObject;
}

/** A new object: every second one has one mistake, the others have unknown fields and nulls. */
export const newObject = (kind: ValidatedKind, number: number): GeneratedCase => {
  const seed = number * 7919 + 1;
  const random = createRandom(seed);
  const { status: _, ...object } = arbitraryObject(kind, random);
  if (number % 2 === 1) {
    const { field, what } = breakObject(object, kind.schema, random);
    return { seed, object, what: `${field} ${what}` };
  }
  disturbObject(object, kind.schema, random);
  return { seed, object, what: 'as the schema says' };
};

/** A stored object with a status to write: good and broken in turns, like new objects. */
export const newStatus = (kind: ValidatedKind, stored: JsonObject, number: number): GeneratedCase => {
  const seed = number * 7919 + 2;
  const random = createRandom(seed);
  const { status = {} } = arbitraryObject(kind, random);
  const part: JsonObject = { status };
  const breakage = number % 2 === 1 ? breakField(part, kind.schema, random) : undefined;
  if (!breakage) disturbObject(part, kind.schema, random);
  const what = breakage ? `${breakage.field} ${breakage.what}` : 'as the schema says';
  return { seed, object: { ...stored, ...part }, what };
};
