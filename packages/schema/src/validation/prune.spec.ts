import type { JsonObject } from '@flotilla/rules/values';
import { describe, expect, it } from 'vitest';
import { pruneInPlace } from './prune.ts';
import type { StructuralSchema } from './structural-schema.ts';

const known: StructuralSchema = { type: 'object', properties: { known: { type: 'string' } } };

describe('pruneInPlace', () => {
  it.each<{ what: string; spec: StructuralSchema; given: JsonObject; expected: JsonObject; unknown: string[] }>([
    {
      what: 'removes an unknown field',
      spec: known,
      given: { known: '', x: 1 },
      expected: { known: '' },
      unknown: ['spec.x'],
    },
    {
      what: 'keeps every key of a map, but prunes its values',
      spec: { type: 'object', additionalProperties: known },
      given: { any: { x: 1 } },
      expected: { any: {} },
      unknown: ['spec.any.x'],
    },
    {
      what: 'empties objects of which the schema says nothing',
      spec: { type: 'object', properties: { list: { type: 'array' } } },
      given: { list: [{ x: 1 }] },
      expected: { list: [{}] },
      unknown: ['spec.list[0].x'],
    },
    {
      what: 'keeps unknown fields where the schema preserves them, but prunes what is described there',
      spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { inner: known } },
      given: { x: { deep: 1 }, inner: { x: 1 } },
      expected: { x: { deep: 1 }, inner: {} },
      unknown: ['spec.inner.x'],
    },
    {
      what: 'keeps metadata of an embedded resource as it is',
      spec: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: {} },
      given: { apiVersion: 'v1', kind: 'A', metadata: { x: 1 }, x: 1 },
      expected: { apiVersion: 'v1', kind: 'A', metadata: { x: 1 } },
      unknown: ['spec.x'],
    },
  ])('$what', ({ spec, given, expected, unknown }) => {
    const object = { apiVersion: 'v1', kind: 'A', metadata: { name: 'a' }, spec: given };
    expect(pruneInPlace(object, { type: 'object', properties: { spec } })).toEqual(unknown);
    expect(object.spec).toEqual(expected);
    expect(object.metadata).toEqual({ name: 'a' });
  });
});
