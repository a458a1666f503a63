import { KubeError } from '@flotilla/kube';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyJsonPatch, maxJsonPatchOperations, unknownJsonPatchFields } from './json-patch.ts';

const document = { data: { a: '1', 'x/y': '2', 'm~n': '3' }, list: ['p', 'q', 'r'] };

function refused(patch: unknown, on: unknown = document): KubeError {
  try {
    applyJsonPatch(on, patch);
  } catch (error) {
    if (error instanceof KubeError) return error;
    throw error;
  }
  throw new Error('the patch was not refused');
}

describe('applyJsonPatch', () => {
  it.each<[string, unknown[], unknown]>([
    ['adds a field', [{ op: 'add', path: '/data/b', value: 2 }], { ...document, data: { ...document.data, b: 2 } }],
    ['adds null when there is no value', [{ op: 'add', path: '/n' }], { ...document, n: null }],
    [
      'inserts before an index',
      [{ op: 'add', path: '/list/1', value: 'x' }],
      { ...document, list: ['p', 'x', 'q', 'r'] },
    ],
    ['appends with a dash', [{ op: 'add', path: '/list/-', value: 'x' }], { ...document, list: ['p', 'q', 'r', 'x'] }],
    [
      'appends with index -1',
      [{ op: 'add', path: '/list/-1', value: 'x' }],
      { ...document, list: ['p', 'q', 'r', 'x'] },
    ],
    ['removes counting from the end', [{ op: 'remove', path: '/list/-1' }], { ...document, list: ['p', 'q'] }],
    [
      'reads escaped keys',
      [
        { op: 'remove', path: '/data/x~1y' },
        { op: 'remove', path: '/data/m~0n' },
      ],
      { ...document, data: { a: '1' } },
    ],
    [
      'replaces what is there',
      [{ op: 'replace', path: '/list/0', value: 'z' }],
      { ...document, list: ['z', 'q', 'r'] },
    ],
    ['sets with replace what is not there', [{ op: 'replace', path: '/new', value: 1 }], { ...document, new: 1 }],
    ['replaces the whole document', [{ op: 'replace', path: '', value: { a: 1 } }], { a: 1 }],
    ['moves', [{ op: 'move', from: '/data', path: '/moved' }], { list: document.list, moved: document.data }],
    [
      'copies',
      [
        { op: 'copy', from: '/list', path: '/copied' },
        { op: 'remove', path: '/copied/0' },
      ],
      { ...document, copied: ['q', 'r'] },
    ],
    ['passes a test of a missing field against null', [{ op: 'test', path: '/data/none', value: null }], document],
    ['ignores what stands before the first slash', [{ op: 'remove', path: 'junk/data' }], { list: document.list }],
  ])('%s', (_, patch, expected) => {
    expect(applyJsonPatch(document, patch)).toEqual(expected);
  });

  it('takes null for a patch that does nothing', () => {
    expect(applyJsonPatch(document, null)).toEqual(document);
  });

  it('changes neither the document nor the patch', () => {
    const value = { deep: ['x'] };
    const before = structuredClone(document);
    applyJsonPatch(document, [
      { op: 'add', path: '/value', value },
      { op: 'add', path: '/value/deep/-', value: 'y' },
      { op: 'remove', path: '/list/0' },
    ]);
    expect(document).toEqual(before);
    expect(value).toEqual({ deep: ['x'] });
  });

  it('keeps a field called __proto__ a field', () => {
    const patched = applyJsonPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: true } }]);
    expect(Object.keys(patched ?? {})).toEqual(['__proto__']);
    expect(patched).not.toHaveProperty('polluted');
  });

  it.each<[string, unknown[]]>([
    ['an add below a missing parent', [{ op: 'add', path: '/none/a', value: 1 }]],
    ['an add of the whole document', [{ op: 'add', path: '', value: {} }]],
    ['a remove of a missing field', [{ op: 'remove', path: '/data/none' }]],
    ['a failed test', [{ op: 'test', path: '/data/a', value: '2' }]],
    ['an index past the end', [{ op: 'add', path: '/list/9', value: 1 }]],
    ['an index that is not a number', [{ op: 'replace', path: '/list/x', value: 1 }]],
    ['a dash where an item must be', [{ op: 'replace', path: '/list/-', value: 1 }]],
    ['a move of a missing field', [{ op: 'move', from: '/data/none', path: '/x' }]],
    ['an operation without a path', [{ op: 'add', value: 1 }]],
    ['an unknown operation', [{ op: 'increment', path: '/data/a' }]],
    ['an operation that is null', [null]],
    ['a whole document that is not an object', [{ op: 'replace', path: '', value: 1 }]],
  ])('refuses %s with 422 and keeps the reason in the hint', (_, patch) => {
    const error = refused(patch);
    expect(error.apiStatus).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      message: 'the server rejected our request due to an error in our request',
      reason: 'Invalid',
      details: {},
      code: 422,
    });
    expect(error.hint).toMatch(/^The patch does not apply: ./);
  });

  it.each([
    ['an object', {}, 'object into Go value of type []handlers.jsonPatchOp'],
    ['a string', 'x', 'string into Go value of type []handlers.jsonPatchOp'],
    ['an operation that is a number', [1], 'number into Go value of type handlers.jsonPatchOp'],
    [
      'a path that is a number',
      [{ op: 'add', path: 1 }],
      'number into Go struct field jsonPatchOp.path of type string',
    ],
  ])('refuses %s with 400', (_, patch, message) => {
    expect(refused(patch).apiStatus).toMatchObject({
      code: 400,
      message: `error decoding patch: json: cannot unmarshal ${message}`,
    });
  });

  it('refuses more operations than allowed with 413', () => {
    const operations = Array.from({ length: maxJsonPatchOperations + 1 }, () => ({
      op: 'test',
      path: '/data/a',
      value: '1',
    }));
    expect(refused(operations).apiStatus).toMatchObject({
      code: 413,
      message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    });
    expect(applyJsonPatch(document, operations.slice(1))).toEqual(document);
  });

  it('refuses copies that grow without bound', () => {
    const doubling = Array.from({ length: 40 }, () => ({ op: 'copy', from: '/a', path: '/a/-' }));
    expect(refused(doubling, { a: ['x'.repeat(1000)] }).apiStatus?.code).toBe(422);
  });

  it('refuses operations that move long lists again and again', () => {
    const list = Array.from({ length: 100_000 }, () => 0);
    const again = (operation: object) => [
      { op: 'add', path: '/a', value: list },
      ...Array.from({ length: 5000 }, () => operation),
    ];
    for (const operation of [
      { op: 'add', path: '/a/0', value: 1 },
      { op: 'remove', path: '/a/0' },
      { op: 'move', from: '/a/0', path: '/a/50000' },
    ]) {
      expect(refused(again(operation), {}).apiStatus?.code).toBe(422);
    }
    expect(() => applyJsonPatch({}, again({ op: 'add', path: '/a/-', value: 1 }))).not.toThrow();
  });

  it('answers anything with a document or a refusal, never another error', () => {
    const operation = fc.record(
      {
        op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'x'),
        path: fc.constantFrom('', '/', '/a', '/a/0', '/a/-', '/b/c', '/a/-1', '//', '/__proto__/x', '/constructor/x'),
        from: fc.constantFrom('', '/a', '/b', '/a/0'),
        value: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.jsonValue(), fc.oneof(fc.array(operation), fc.jsonValue()), (on, patch) => {
        try {
          applyJsonPatch(on, patch);
        } catch (error) {
          expect(KubeError.is(error, 'BadRequest', 'Invalid')).toBe(true);
        }
      }),
    );
  });
});

describe('unknownJsonPatchFields', () => {
  it('names each unknown field by its operation', () => {
    expect(
      unknownJsonPatchFields([
        { op: 'add', path: '/a' },
        { op: 'test', note: 1, path: '', why: 2 },
      ]),
    ).toEqual(['json patch unknown field "[1].note"', 'json patch unknown field "[1].why"']);
  });

  it('finds nothing in what is not a list', () => {
    expect(unknownJsonPatchFields({ op: 'add', note: 1 })).toEqual([]);
  });
});
