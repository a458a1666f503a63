import { constantsOf, type NameTable } from './name-table.ts';

export const fieldManagerTable = {
  WorkAgent: {
    value: 'work-agent',
    on: ['ManifestWork', '*'],
    meaning: 'Owns the fields that the work agent writes; field managers of a work must start with it.',
  },
  Klusterlet: {
    value: 'klusterlet-operator',
    on: ['*'],
    meaning: 'Owns the fields of what the operator makes for a Klusterlet.',
  },
} as const satisfies NameTable;

/** Field managers, also sent as user agent. */
export const FieldManager = /* @__PURE__ */ constantsOf(fieldManagerTable);
