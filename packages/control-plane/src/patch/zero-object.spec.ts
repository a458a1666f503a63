import { expect, it } from 'vitest';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { zeroObject } from './zero-object.ts';

const definitions: Record<string, StructuralSchema> = {
  Kind: {
    type: 'object',
    required: ['scope'],
    properties: {
      spec: { default: {}, allOf: [{ $ref: 'Spec' }] },
      status: { default: {}, $ref: 'Status' },
      data: { type: 'object' },
      scope: { type: 'string', default: '' },
    },
  },
  Spec: {
    type: 'object',
    required: ['containers'],
    properties: {
      containers: { type: 'array' },
      volumes: { type: 'array' },
      protocol: { type: 'string', default: 'TCP' },
    },
  },
  Status: { type: 'object', properties: { phase: { type: 'string' } } },
};
const resolve = (schema: StructuralSchema): StructuralSchema =>
  schema.$ref === undefined ? schema : (definitions[schema.$ref] ?? {});

it('has the structs and required fields that Go writes for an empty object, and no real defaults', () => {
  expect(zeroObject({ $ref: 'Kind' }, resolve)).toEqual({ spec: { containers: null }, status: {}, scope: '' });
});
