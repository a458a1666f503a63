import type { KubeObject, ManagedFieldsEntry } from '@flotilla/schema';
import type { StructuralSchema } from '../../contracts/structural-schema.ts';
import { createFieldManager, type FieldManager } from '../field-manager.ts';
import { fieldPath } from '../field-path.ts';
import { FieldSet } from '../field-set.ts';
import { objectType } from '../object-type.ts';

/** The custom resource that the specs of this folder apply: a field of each kind that merging treats differently. */
export interface Widget extends KubeObject {
  spec?: object;
  status?: object;
}

const text: StructuralSchema = { type: 'string' };

const objectMeta: StructuralSchema = {
  type: 'object',
  properties: {
    name: text,
    namespace: text,
    uid: text,
    resourceVersion: text,
    labels: { type: 'object', additionalProperties: text },
    annotations: { type: 'object', additionalProperties: text },
    finalizers: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    managedFields: { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'atomic' },
  },
};

const port: StructuralSchema = {
  type: 'object',
  properties: {
    port: { type: 'integer' },
    protocol: { ...text, default: 'TCP' },
    name: text,
    tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
  },
};

const spec: StructuralSchema = {
  type: 'object',
  properties: {
    replicas: { type: 'integer' },
    title: text,
    map: { type: 'object', additionalProperties: text },
    whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text } },
    nested: { type: 'object', properties: { x: text, y: { type: 'object', properties: { z: text } } } },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    steps: { type: 'array', items: text },
    set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: port,
    },
  },
};

const status: StructuralSchema = { type: 'object', properties: { phase: text } };

/** The type of a Widget. */
export const widgetType = objectType(
  { type: 'object', properties: { spec, status } },
  { resolve: (schema) => schema, objectMeta },
);

/** The version that Widgets are written in. */
export const widgetVersion = 'test.example.com/v1';

const typeMeta = { apiVersion: widgetVersion, kind: 'Widget' };

/** The field manager of Widgets or their status. */
export function widgetManager(subresource?: 'status', versions: readonly string[] = [widgetVersion]): FieldManager {
  const reset = subresource ? [fieldPath('spec'), fieldPath('metadata')] : [fieldPath('status')];
  return createFieldManager({
    ...typeMeta,
    ...(subresource && { subresource }),
    versions: new Map(versions.map((version) => [version, { type: widgetType, resetFields: FieldSet.of(...reset) }])),
    empty: typeMeta,
  });
}

/** A Widget as a client sends it. */
export const widget = (spec: object, metadata: KubeObject['metadata'] = {}): Widget => ({
  ...typeMeta,
  metadata: { name: 'w', ...metadata },
  spec,
});

/** The object as it comes back from the store: an object that exists has a uid. */
export const stored = (object: KubeObject): Widget => ({ ...object, metadata: { ...object.metadata, uid: 'u' } });

/** A moment some seconds after the start of the test, and its spelling in managedFields. */
export const at = (second: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
export const spelledTime = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`;

/** metadata.managedFields. */
export const owners = (object: KubeObject): ManagedFieldsEntry[] => object.metadata?.managedFields ?? [];

/** What one manager owns, as FieldsV1. */
export const ownedBy = (object: KubeObject, manager: string): object | undefined =>
  owners(object).find((entry) => entry.manager === manager)?.fieldsV1;

/** `manager operation` of each entry. */
export const ownerNames = (object: KubeObject): string[] =>
  owners(object).map((entry) => `${entry.manager} ${entry.operation}`);

/** One apply to what is stored, or a create. */
export function applyWidget(
  manager: string,
  applied: Widget,
  live?: KubeObject,
  options: { force?: boolean; second?: number } = {},
): Widget {
  const { force = false, second = 0 } = options;
  return stored(widgetManager().apply({ applied, manager, force, time: at(second), ...(live && { live }) }));
}
