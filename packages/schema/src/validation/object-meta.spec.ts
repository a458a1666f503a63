import { compileRegex } from '@flotilla/rules/regex';
import type { Json } from '@flotilla/rules/values';
import { describe, expect, it } from 'vitest';
import { validateObjectMeta } from './object-meta.ts';

const context = { matches: (pattern: string, text: string) => compileRegex(pattern).test(text) };
const rules = { name: 'dns-subdomain', namespaced: true } as const;
const fieldsOf = (meta: Json, how: Parameters<typeof validateObjectMeta>[2] = rules) =>
  validateObjectMeta(meta, 'metadata', how, context).map(({ field }) => field);

describe('validateObjectMeta', () => {
  it.each<{ what: string; meta: Json; fields: string[] }>([
    { what: 'a name is enough', meta: { name: 'a.b-c' }, fields: [] },
    {
      what: 'null stands for unset',
      meta: { name: 'a', labels: null, finalizers: null, creationTimestamp: null },
      fields: [],
    },
    { what: 'a name is required', meta: {}, fields: ['metadata.name'] },
    { what: 'metadata is required', meta: null, fields: ['metadata.name'] },
    { what: 'a prefix makes a name', meta: { generateName: 'a-' }, fields: [] },
    { what: 'a prefix follows the rule of names', meta: { generateName: 'aB-' }, fields: ['metadata.name'] },
    {
      what: 'a prefix cannot start with a dash',
      meta: { generateName: '-a' },
      fields: ['metadata.generateName', 'metadata.name'],
    },
    { what: 'a name is lower case', meta: { name: 'A' }, fields: ['metadata.name'] },
    { what: 'a name has at most 253 characters', meta: { name: 'a'.repeat(254) }, fields: ['metadata.name'] },
    { what: 'a namespace has no dots', meta: { name: 'a', namespace: 'a.b' }, fields: ['metadata.namespace'] },
    {
      what: 'a label’s key has one slash at most',
      meta: { name: 'a', labels: { 'a/b/c': '' } },
      fields: ['metadata.labels'],
    },
    { what: 'a label’s prefix is a DNS name', meta: { name: 'a', labels: { 'A/b': '' } }, fields: ['metadata.labels'] },
    { what: 'a label’s value has no spaces', meta: { name: 'a', labels: { a: 'b c' } }, fields: ['metadata.labels'] },
    { what: 'a label’s value is a string', meta: { name: 'a', labels: { a: 1 } }, fields: ['metadata.labels.a'] },
    { what: 'an annotation’s prefix may have capitals', meta: { name: 'a', annotations: { 'A/b': '' } }, fields: [] },
    {
      what: 'an annotation’s key is a qualified name',
      meta: { name: 'a', annotations: { 'a b': '' } },
      fields: ['metadata.annotations'],
    },
    {
      what: 'annotations have 256 KiB in all',
      meta: { name: 'a', annotations: { a: 'x'.repeat(2 ** 18) } },
      fields: ['metadata.annotations'],
    },
    {
      what: 'a finalizer is a qualified name',
      meta: { name: 'a', finalizers: ['a b'] },
      fields: ['metadata.finalizers'],
    },
    {
      what: 'orphan excludes foregroundDeletion',
      meta: { name: 'a', finalizers: ['orphan', 'foregroundDeletion'] },
      fields: ['metadata.finalizers'],
    },
    { what: 'a generation is not negative', meta: { name: 'a', generation: -1 }, fields: ['metadata.generation'] },
    {
      what: 'a time has an offset',
      meta: { name: 'a', creationTimestamp: '2026-01-01T00:00:00' },
      fields: ['metadata.creationTimestamp', 'metadata.creationTimestamp'],
    },
    {
      what: 'an owner has a version, kind, name and uid',
      meta: { name: 'a', ownerReferences: [{ apiVersion: 'apps/', kind: '', name: '', uid: '' }] },
      fields: ['apiVersion', 'kind', 'name', 'uid'].map((field) => `metadata.ownerReferences.${field}`),
    },
    {
      what: 'one owner at most is the controller',
      meta: {
        name: 'a',
        ownerReferences: ['x', 'y'].map((name) => ({
          apiVersion: 'v1',
          kind: 'Pod',
          name,
          uid: name,
          controller: true,
        })),
      },
      fields: ['metadata.ownerReferences'],
    },
  ])('$what', ({ meta, fields }) => {
    expect(fieldsOf(meta)).toEqual(fields);
  });

  it('forbids a namespace where the kind has none', () => {
    expect(fieldsOf({ name: 'a', namespace: 'b' }, { ...rules, namespaced: false })).toEqual(['metadata.namespace']);
  });

  it('lets embedded objects have any name that fits into a URL', () => {
    const embedded = { name: 'path-segment', namespaced: true } as const;
    expect(fieldsOf({ name: 'Any:Name' }, embedded)).toEqual([]);
    expect(fieldsOf({}, embedded)).toEqual([]);
    expect(fieldsOf({ name: 'a/b' }, embedded)).toEqual(['metadata.name']);
  });
});
