import { isRecord } from '@flotilla/schema';
import type { StructuralSchema } from '@flotilla/schema/validation';
import { Document, isMap, isScalar, type YAMLMap } from 'yaml';

/** The default values of a chart as a file: each with what the schema says about it above. */
export function formatValues(values: object, schema: StructuralSchema): string {
  const document = new Document(values, { aliasDuplicateObjects: false });
  if (isMap(document.contents)) describe(document.contents, values, schema, 0);
  return document.toString({ lineWidth: 120 });
}

function describe(map: YAMLMap, values: object, { properties = {} }: StructuralSchema, depth: number): void {
  for (const [at, pair] of map.items.entries()) {
    const name = isScalar(pair.key) ? String(pair.key.value) : '';
    const property = properties[name];
    if (!property || !isScalar(pair.key)) continue;
    pair.key.commentBefore = ` ${property.description ?? ''}`;
    pair.key.spaceBefore = depth === 0 && at >= 0;
    const value = (values as Record<string, unknown>)[name];
    if (isMap(pair.value) && isRecord(value)) describe(pair.value, value, property, depth + 1);
  }
}
