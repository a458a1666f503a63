import type { Json, JsonObject } from '@flotilla/schema';
import type { ScalePaths } from '../contracts/resource-info.ts';
import type { FieldCause } from '../errors/api-errors.ts';
import { goValue } from '../patch/go-format.ts';

const largest = 2 ** 31 - 1;

/** What the scale subresource reads of a custom resource must be numbers that make sense. */
export function scaleCauses(object: JsonObject, paths: ScalePaths): FieldCause[] {
  return [paths.specReplicasPath, paths.statusReplicasPath].flatMap((path) => {
    const { value, typeError } = integerAt(object, path);
    if (typeError !== undefined) return [invalid(path, 0, `${path} accessor error: ${typeError}`)];
    if (value === undefined) return [];
    if (value < 0) return [invalid(path, value, 'should be a non-negative integer')];
    return value > largest ? [invalid(path, value, `should be less than or equal to ${largest}`)] : [];
  });
}

const invalid = (field: string, value: number | bigint, why: string): FieldCause => ({
  reason: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${value}: ${why}`,
});

/** Paths of scales are plain fields: `.spec.replicas`. */
function integerAt(
  object: JsonObject,
  path: string,
): { readonly value?: number | bigint; readonly typeError?: string } {
  let value: Json | undefined = object;
  for (const name of path.replace(/^\./, '').split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { typeError: `${goValue(value)} is of the type ${goType(value)}, expected map[string]interface{}` };
    }
    value = value[name];
    if (value === undefined) return {};
  }
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) return { value };
  return { typeError: `${goValue(value)} is of the type ${goType(value)}, expected int64` };
}

function goType(value: Json): string {
  if (value === null) return '<nil>';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'string') return 'string';
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}
