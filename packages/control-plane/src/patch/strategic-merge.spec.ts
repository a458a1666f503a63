import { KubeError } from '@flotilla/kube';
import { acceptableMs, longestTurn } from '@flotilla/rules/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StructuralSchema } from '../contracts/structural-schema.ts';
import { applyStrategicMergePatch } from './strategic-merge.ts';

const container: StructuralSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    image: { type: 'string' },
    args: { type: 'array', items: { type: 'string' } },
    env: {
      type: 'array',
      items: { type: 'object', properties: { name: { type: 'string' }, value: { type: 'string' } } },
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
  },
};

const schema: StructuralSchema = {
  type: 'object',
  properties: {
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    finalizers: { type: 'array', items: { type: 'string' }, 'x-kubernetes-patch-strategy': 'merge' },
    containers: {
      type: 'array',
      items: { $ref: 'io.test.v1.Container' },
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
    keyless: { type: 'array', items: { type: 'object' }, 'x-kubernetes-patch-strategy': 'merge' },
    strategy: {
      type: 'object',
      properties: { type: { type: 'string' }, rolling: { type: 'object' } },
      'x-kubernetes-patch-strategy': 'retainKeys',
    },
    whole: { type: 'object', properties: { a: { type: 'string' } }, 'x-kubernetes-patch-strategy': 'replace' },
  },
};

const resolve = (of: StructuralSchema): StructuralSchema => (of.$ref === 'io.test.v1.Container' ? container : of);
const patch = (document: object, by: unknown) => applyStrategicMergePatch({ ...document }, by, schema, resolve);

describe('applyStrategicMergePatch', () => {
  it.each<[string, object, object, object]>([
    ['merges maps', { labels: { a: '1' } }, { labels: { b: '2' } }, { labels: { a: '1', b: '2' } }],
    ['deletes with null', { labels: { a: '1', b: '2' } }, { labels: { a: null } }, { labels: { b: '2' } }],
    ['drops nulls of a value that is new', {}, { labels: { a: null, b: '1' } }, { labels: { b: '1' } }],
    [
      'replaces a map with $patch: replace',
      { labels: { a: '1' } },
      { labels: { $patch: 'replace', b: '2' } },
      { labels: { b: '2' } },
    ],
    ['empties a map with $patch: delete', { labels: { a: '1' } }, { labels: { $patch: 'delete' } }, { labels: {} }],
    [
      'replaces a map whose strategy says so',
      { whole: { a: '1', b: '2' } },
      { whole: { c: '3' } },
      { whole: { c: '3' } },
    ],
    [
      'replaces a list without a strategy',
      { containers: [{ name: 'x', args: ['1', '2'] }] },
      { containers: [{ name: 'x', args: ['3'] }] },
      { containers: [{ name: 'x', args: ['3'] }] },
    ],
    [
      'merges lists by their key',
      { containers: [{ name: 'x', image: '1' }] },
      { containers: [{ name: 'x', image: '2' }, { name: 'y' }] },
      { containers: [{ name: 'x', image: '2' }, { name: 'y' }] },
    ],
    [
      'merges lists in lists',
      { containers: [{ name: 'x', env: [{ name: 'A', value: '1' }] }] },
      { containers: [{ name: 'x', env: [{ name: 'B' }] }] },
      { containers: [{ name: 'x', env: [{ name: 'B' }, { name: 'A', value: '1' }] }] },
    ],
    [
      'deletes an item with $patch: delete',
      { containers: [{ name: 'x' }, { name: 'y' }] },
      { containers: [{ name: 'x', $patch: 'delete' }] },
      { containers: [{ name: 'y' }] },
    ],
    [
      'replaces a list with $patch: replace',
      { containers: [{ name: 'x' }, { name: 'y' }] },
      { containers: [{ $patch: 'replace' }, { name: 'z' }] },
      { containers: [{ name: 'z' }] },
    ],
    [
      'merges lists of scalars without duplicates',
      { finalizers: ['a', 'b'] },
      { finalizers: ['b', 'c'] },
      { finalizers: ['a', 'b', 'c'] },
    ],
    [
      'deletes scalars',
      { finalizers: ['a', 'b', 'c'] },
      { '$deleteFromPrimitiveList/finalizers': ['a', 'c'] },
      { finalizers: ['b'] },
    ],
    [
      'orders items as $setElementOrder says',
      { finalizers: ['a', 'b', 'c'] },
      { '$setElementOrder/finalizers': ['c', 'd', 'a'], finalizers: ['d'] },
      { finalizers: ['b', 'c', 'd', 'a'] },
    ],
    [
      'counts a new item as if it had been where a deleted one was',
      { containers: [{ name: 'x' }, { name: 'y' }, { name: 'z' }] },
      {
        '$setElementOrder/containers': [{ name: 'z' }, { name: 'n' }, { name: 'x' }],
        containers: [{ name: 'z', $patch: 'delete' }, { name: 'n' }, { name: 'x' }],
      },
      { containers: [{ name: 'y' }, { name: 'n' }, { name: 'x' }] },
    ],
    [
      'orders keyed items as $setElementOrder says',
      { containers: [{ name: 'x' }, { name: 'y' }] },
      { '$setElementOrder/containers': [{ name: 'y' }, { name: 'x' }], containers: [{ name: 'x', image: '1' }] },
      { containers: [{ name: 'y' }, { name: 'x', image: '1' }] },
    ],
    [
      'keeps only $retainKeys',
      { strategy: { type: 'a', rolling: {} } },
      { strategy: { $retainKeys: ['type'], type: 'b' } },
      { strategy: { type: 'b' } },
    ],
    [
      'drops items with directives from a list that is new',
      {},
      { containers: [{ name: 'x', $patch: 'delete' }, { name: 'y' }] },
      { containers: [{ name: 'y' }] },
    ],
    ['does nothing for an empty list that is merged', { finalizers: ['a'] }, { finalizers: [] }, { finalizers: ['a'] }],
  ])('%s', (_, document, by, expected) => {
    expect(patch(document, by)).toEqual(expected);
  });

  it('takes null for a patch that does nothing', () => {
    expect(patch({ labels: {} }, null)).toEqual({ labels: {} });
  });

  const document = { labels: { a: '1' }, finalizers: ['a'], containers: [{ name: 'x' }], keyless: [{ a: 1 }] };

  it.each<[string, unknown, number, string]>([
    ['a list', [], 400, 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
    [
      'an unknown directive',
      { labels: { $patch: 'merge' } },
      500,
      'unknown patch type: merge in map: map[$patch:merge]',
    ],
    [
      'an unknown directive of an item',
      { containers: [{ name: 'x', $patch: 'what' }] },
      500,
      'unknown patch type: what in map: map[$patch:what name:x]',
    ],
    [
      'a merge directive of an item',
      { containers: [{ name: 'x', $patch: 'merge' }] },
      500,
      'merging lists cannot yet be specified in the patch',
    ],
    [
      'an item without its merge key',
      { containers: [{ image: 'i' }] },
      500,
      'map: map[image:i] does not contain declared merge key: name',
    ],
    ['items of another kind', { containers: ['x'] }, 500, 'list element types are not identical: [[map[name:x]] [x]]'],
    [
      'a list of maps without a merge key',
      { keyless: [{ b: 1 }] },
      500,
      'cannot merge lists without merge key for struct',
    ],
    ['$retainKeys that is not a list', { labels: { $retainKeys: 'a' } }, 400, 'invalid patch format of retainKeys'],
    [
      '$retainKeys without a patched key',
      { labels: { $retainKeys: ['a'], b: '1' } },
      400,
      'invalid patch format of retainKeys',
    ],
    ['a deletion without a field', { $deleteFromPrimitiveList: ['a'] }, 400, 'invalid patch format of primitive list'],
    ['an order without a field', { $setElementOrder: ['a'] }, 400, 'invalid patch format of setElementOrder list'],
    [
      'an order that is not a list',
      { '$setElementOrder/finalizers': 'a' },
      500,
      'expected a []interface {}, but received a string',
    ],
    [
      'an order of an unknown field',
      { '$setElementOrder/none': ['a'] },
      500,
      'unable to find api field in struct  for the json field "none"',
    ],
    [
      'a patch list that its order does not name',
      { '$setElementOrder/finalizers': ['a'], finalizers: ['b'] },
      500,
      "The order in patch list:\n[b]\n doesn't match $setElementOrder list:\n[a]\n",
    ],
  ])('refuses %s', (_, by, code, message) => {
    expect(() => patch(document, by)).toThrow(
      expect.objectContaining({ apiStatus: expect.objectContaining({ code, message }) }),
    );
  });

  it('refuses lists of lists with 422', () => {
    expect(() => patch({ finalizers: [] }, { finalizers: [['a']] })).toThrow(expect.objectContaining({ status: 422 }));
  });

  const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'));
  const documents = fc.record({
    labels: fc.dictionary(fc.constantFrom('a', 'b'), fc.string()),
    finalizers: names,
    containers: names.map((all) => all.map((name) => ({ name, image: `${name}-image` }))),
  });

  it('keeps the order of the patch, and that of the live list among what the patch does not name', () => {
    fc.assert(
      fc.property(names, names, (live, asked) => {
        const merged = patch({ finalizers: live }, { finalizers: asked }).finalizers;
        const all = Array.isArray(merged) ? merged : [];
        if (asked.length > 0) expect(all.filter((name) => asked.includes(name))).toEqual(asked);
        expect(all.filter((name) => !asked.includes(name))).toEqual(live.filter((name) => !asked.includes(name)));
      }),
    );
  });

  it('changes nothing when a document is patched with itself', () => {
    fc.assert(
      fc.property(documents, (each) => {
        expect(patch(each, each)).toEqual(each);
      }),
    );
  });

  it('answers anything with a document or a refusal and changes neither side', () => {
    const directive = fc.constantFrom(
      '$patch',
      '$retainKeys',
      '$setElementOrder/finalizers',
      '$setElementOrder/containers',
      '$deleteFromPrimitiveList/finalizers',
    );
    const wild = fc.dictionary(
      fc.oneof(fc.constantFrom('labels', 'finalizers', 'containers', 'strategy'), directive),
      fc.oneof(fc.jsonValue(), names, documents),
    );
    fc.assert(
      fc.property(documents, wild, (each, by) => {
        const [before, asked] = [structuredClone(each), structuredClone(by)];
        try {
          patch(each, by);
        } catch (error) {
          expect(error).toBeInstanceOf(KubeError);
        }
        expect(each).toEqual(before);
        expect(by).toEqual(asked);
      }),
    );
  });
});

describe('a patch with ten thousand names does not hold up the event loop', () => {
  const names = Array.from({ length: 10_000 }, (_, index) => `name-${index}`);
  const labels = Object.fromEntries(names.map((name) => [name, '']));

  it.each<[string, object, object]>([
    ['that $setElementOrder leaves out', {}, { '$setElementOrder/finalizers': [], finalizers: names }],
    ['that $retainKeys names', { labels }, { labels: { ...labels, $retainKeys: names.toReversed() } }],
  ])('%s', async (_, document, by) => {
    expect(await longestTurn(() => patch(document, by))).toBeLessThan(acceptableMs);
  });

  it('whose order it keeps, also of far longer lists', () => {
    const server = Array.from({ length: 200_000 }, (_, index) => `${index}`);
    const merged = patch({ finalizers: server }, { finalizers: ['199999', 'last'] });
    expect(merged.finalizers).toEqual([...server, 'last']);
  });
});
