import { stringify } from 'yaml';

/** YAML as the API server writes it: fields in order of their names, items of lists not indented, texts that look like times in quotes. */
export const toYaml = (value: unknown): string =>
  // A dot alone needs no quotes; it stands in every managedFields.
  stringify(value, {
    version: '1.1',
    sortMapEntries: true,
    indentSeq: false,
    lineWidth: 0,
    aliasDuplicateObjects: false,
  }).replace(/^(\s*)"\.": /gm, '$1.: ');
