import type { JsonObject } from '@flotilla/rules/values';
import { isRecord } from '@flotilla/rules/values';
import type { StructuralSchema } from '../validation/structural-schema.ts';
import type { Random } from './random.ts';
import { sitesOf } from './sites.ts';

/** Puts things into an object that the API server takes out again: unknown fields, and null for optional fields. */
export const disturbObject = (object: JsonObject, schema: StructuralSchema, random: Random): void => {
  const { apiVersion: _, kind: __, metadata: ___, ...body } = schema.properties ?? {};
  for (const { schema: of, value } of sitesOf(object, { ...schema, properties: body })) {
    if (!isRecord(value) || !of.properties) continue;
    if (random.chance(0.3)) value.notInTheSchema = random.pick([null, 'text', 1, [{ a: 1 }], { deep: { er: true } }]);
    for (const name of Object.keys(of.properties)) {
      if (!of.required?.includes(name) && random.chance(0.1)) value[name] = null;
    }
  }
};
