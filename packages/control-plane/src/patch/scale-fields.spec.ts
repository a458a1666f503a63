import { describe, expect, it } from 'vitest';
import { fieldPath } from './field-path.ts';
import { fromScaleManagedFields, toScaleManagedFields } from './scale-fields.ts';

const paths = new Map([
  ['apps/v1', fieldPath('spec', 'replicas')],
  ['apps/v1beta1', undefined],
]);
const entry = (manager: string, operation: string, fieldsV1: object, rest: object = {}) => ({
  manager,
  operation,
  apiVersion: 'apps/v1',
  time: '2026-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...rest,
});
const replicas = { 'f:spec': { 'f:replicas': {} } };
const more = { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } };

describe('managedFields of a scale', () => {
  it('has the owners of the replicas and nothing else of theirs', () => {
    const parent = [entry('A', 'Apply', more), entry('B', 'Update', { 'f:spec': { 'f:paused': {} } })];
    expect(toScaleManagedFields(parent, paths)).toEqual([
      entry('A', 'Apply', replicas, { apiVersion: 'autoscaling/v1' }),
    ]);
  });

  it('leaves the parent as it is when an applier still owns the replicas', () => {
    const parent = [entry('A', 'Apply', more)];
    expect(fromScaleManagedFields(parent, toScaleManagedFields(parent, paths), 'apps/v1', paths)).toEqual(parent);
  });

  it('moves the replicas to a new owner, without a time, as the API server does', () => {
    const parent = [entry('A', 'Apply', more), entry('B', 'Update', replicas)];
    const scale = [entry('S', 'Update', replicas, { apiVersion: 'autoscaling/v1', subresource: 'scale' })];
    const { time: _, ...moved } = entry('S', 'Update', replicas, { subresource: 'scale' });
    expect(fromScaleManagedFields(parent, scale, 'apps/v1', paths)).toEqual([
      entry('A', 'Apply', { 'f:spec': { 'f:paused': {} } }),
      moved,
    ]);
  });

  it('keeps entries of versions without a scale and drops those of versions that are not served', () => {
    const beta = entry('B', 'Update', replicas, { apiVersion: 'apps/v1beta1' });
    const alpha = entry('C', 'Update', replicas, { apiVersion: 'apps/v1alpha1' });
    expect(fromScaleManagedFields([beta, alpha], [], 'apps/v1', paths)).toEqual([beta]);
  });
});
