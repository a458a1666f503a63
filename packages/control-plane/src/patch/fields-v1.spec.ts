import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FieldPath, fieldPath, formatPath, keyElement, type PathElement } from './field-path.ts';
import { FieldSet } from './field-set.ts';
import { decodeFieldsV1, encodeFieldsV1 } from './fields-v1.ts';

const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean());
const element: fc.Arbitrary<PathElement> = fc.oneof(
  fc.record({ field: fc.string() }),
  fc
    .dictionary(fc.string(), scalar, { minKeys: 1, maxKeys: 3 })
    .map((keys) => keyElement(Object.entries(keys).map(([name, value]) => ({ name, value })))),
  fc.record({ value: scalar }),
  fc.record({ index: fc.nat() }),
);
const path: fc.Arbitrary<FieldPath> = fc.array(element, { minLength: 1, maxLength: 4 });
const set = fc.array(path, { maxLength: 12 }).map((paths) => FieldSet.of(...paths));

describe('FieldsV1', () => {
  it('is spelled as Kubernetes spells it, in its order', () => {
    const item = keyElement([
      { name: 'protocol', value: 'TCP' },
      { name: 'containerPort', value: 80 },
    ]);
    const fields = FieldSet.of(
      [...fieldPath('spec', 'list'), { index: 10 }],
      [...fieldPath('spec', 'list'), { index: 9 }],
      [...fieldPath('spec', 'ports'), item],
      [...fieldPath('spec', 'ports'), item, { field: 'name' }],
      [...fieldPath('metadata', 'finalizers'), { value: 'b' }],
      [...fieldPath('metadata', 'finalizers'), { value: 'a' }],
      fieldPath('metadata', 'finalizers'),
      fieldPath('spec', 'replicas'),
    );
    expect(JSON.stringify(encodeFieldsV1(fields))).toBe(
      JSON.stringify({
        'f:metadata': { 'f:finalizers': { '.': {}, 'v:"a"': {}, 'v:"b"': {} } },
        'f:spec': {
          'f:list': { 'i:9': {}, 'i:10': {} },
          'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:name': {} } },
          'f:replicas': {},
        },
      }),
    );
  });

  it('comes back from its spelling as the same set', () => {
    fc.assert(
      fc.property(set, (fields) => {
        const decoded = decodeFieldsV1(encodeFieldsV1(fields));
        expect(decoded.equals(fields)).toBe(true);
        expect(JSON.stringify(encodeFieldsV1(decoded))).toBe(JSON.stringify(encodeFieldsV1(fields)));
      }),
    );
  });

  it('does not depend on the order in which paths were added', () => {
    fc.assert(
      fc.property(fc.array(path), (paths) => {
        const forwards = encodeFieldsV1(FieldSet.of(...paths));
        expect(JSON.stringify(encodeFieldsV1(FieldSet.of(...paths.toReversed())))).toBe(JSON.stringify(forwards));
      }),
    );
  });

  it('drops elements of a kind that only a later version knows', () => {
    expect([...decodeFieldsV1({ 'f:a': {}, 'z:b': { 'f:c': {} } }).paths()].map(formatPath)).toEqual(['.a']);
  });

  it.each([
    ['an element without a colon', { fa: {} }],
    ['keys that are no JSON', { 'k:{': {} }],
    ['keys that are not an object', { 'k:1': {} }],
    ['an index that is not a number', { 'i:x': {} }],
    ['a list instead of an object', []],
    ['a string below an element', { 'f:a': 'x' }],
  ])('refuses %s', (_, fields) => {
    expect(() => decodeFieldsV1(fields)).toThrow(SyntaxError);
  });
});

describe('FieldSet', () => {
  it('keeps what lies below a removed path, unless the removal is recursive', () => {
    const fields = FieldSet.of(fieldPath('a'), fieldPath('a', 'b'), fieldPath('c'));
    const removed = FieldSet.of(fieldPath('a'));
    expect([...fields.difference(removed).paths()].map(formatPath)).toEqual(['.c', '.a.b']);
    expect([...fields.recursiveDifference(removed).paths()].map(formatPath)).toEqual(['.c']);
  });

  it('follows the laws of sets', () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        expect(a.union(b).equals(b.union(a))).toBe(true);
        expect(a.intersection(b).equals(b.intersection(a))).toBe(true);
        expect(a.difference(b).union(a.intersection(b)).equals(a)).toBe(true);
        expect(a.difference(b).intersection(b).isEmpty).toBe(true);
        expect(a.recursiveDifference(a).isEmpty).toBe(true);
      }),
    );
  });

  it('has exactly the paths that were added', () => {
    fc.assert(
      fc.property(fc.array(path), path, (paths, other) => {
        const fields = FieldSet.of(...paths);
        for (const added of paths) expect(fields.has(added)).toBe(true);
        const spelled = [...fields.paths()].map((each) => JSON.stringify(each));
        expect(fields.has(other)).toBe(spelled.includes(JSON.stringify(other)));
      }),
    );
  });
});
