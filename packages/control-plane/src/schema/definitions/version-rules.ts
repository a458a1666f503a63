import type { Field } from '../field.ts';

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const maxSelectableFields = 8;

/** A printer column. */
export function validateColumn(column: Field): void {
  if (column.at('name').text === '') column.at('name').required();
  const type = column.at('type');
  if (type.text === '') type.required(`must be one of ${columnTypes.join(',')}`);
  else if (!columnTypes.includes(type.text)) type.invalid(`must be one of ${columnTypes.join(',')}`);
  const format = column.at('format');
  if (format.text !== '' && !columnFormats.includes(format.text)) {
    format.invalid(`must be one of ${columnFormats.join(',')}`);
  }
  const path = column.at('jsonPath');
  const pathField = column.at('JSONPath').with(path.text);
  if (path.text === '') pathField.required();
  else if (!path.text.startsWith('.')) pathField.invalid('must be a simple json path starting with .');
}

/** Where the scale subresource reads and writes. */
export function validateScalePaths(subresources: Field): void {
  const scale = subresources.at('scale');
  if (!scale.present) return;
  const check = (name: string, roots: readonly string[], sentence: string, required: boolean): void => {
    const path = scale.at(name);
    if (path.text === '') {
      if (required) path.required();
    } else if (!path.text.startsWith('.')) path.invalid('must be a simple json path starting with .');
    else if (!roots.some((root) => path.text.startsWith(root))) path.invalid(sentence);
  };
  check('specReplicasPath', ['.spec.'], 'should be a json path under .spec', true);
  check('statusReplicasPath', ['.status.'], 'should be a json path under .status', true);
  check('labelSelectorPath', ['.spec.', '.status.'], 'should be a json path under either .spec or .status', false);
}

/** Fields that lists can be selected by: scalars that the schema knows. */
export function validateSelectableFields(fields: Field, schema: Field): void {
  const seen = new Set<string>();
  for (const field of fields.items()) {
    const path = field.at('jsonPath');
    if (path.text === '') {
      path.required();
      continue;
    }
    const found = schemaAt(schema, path.text);
    if (!found?.present) {
      const why = /^[.[]/.test(path.text) ? 'does not refer to a valid field' : `expected [ or . but got: ${path.text}`;
      path.invalid(`is an invalid path: ${why}`);
      continue;
    }
    if (path.text.startsWith('.metadata')) path.invalid('must not point to fields in metadata');
    if (!['string', 'boolean', 'integer'].includes(found.at('type').text)) {
      path.invalid(
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      );
    }
    if (seen.has(path.text)) path.duplicate();
    seen.add(path.text);
  }
  if (seen.size > maxSelectableFields) fields.tooMany(maxSelectableFields);
}

function schemaAt(schema: Field, path: string): Field | undefined {
  if (!path.startsWith('.')) return undefined;
  return path
    .slice(1)
    .split('.')
    .reduce<Field | undefined>((found, name) => found?.at('properties').key(name), schema);
}
