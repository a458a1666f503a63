import { isReduction } from '@flotilla/rules/jq';
import { describe, expect, it } from 'vitest';
import { createIgnoreFields } from './ignore-fields.ts';

describe('a reduction', () => {
  const whole = { a: { b: 1, c: [1, { d: 2, e: 3 }, 1] }, f: null };

  it.each([
    ['the whole', whole],
    ['nothing of it', {}],
    ['without a field', { a: { b: 1 }, f: null }],
    ['without an item', { a: { c: [1, 1] } }],
    ['without a field of an item', { a: { c: [{ e: 3 }, 1] } }],
  ])('is %s', (_, value) => {
    expect(isReduction(value, whole)).toBe(true);
  });

  it.each([
    ['another value', { a: { b: 2 } }],
    ['another field', { g: 1 }],
    ['one that every object has', { constructor: Object }],
    ['another order', { a: { c: [{ d: 2 }, 1, 1] } }],
    ['another item', { a: { c: [1, 1, 1] } }],
    ['a list for a map', { a: [] }],
  ])('is not %s', (_, value) => {
    expect(isReduction(value, whole)).toBe(false);
  });
});

describe('a jq expression that does more than select', () => {
  const manifest = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'ours', name: 'cm' },
    data: { a: '1', b: '2' },
  };
  const apply = (expression: string) =>
    createIgnoreFields()(manifest, [{ condition: 'OnSpokePresent', jqPathExpressions: [expression] }]);

  it('is refused, so that nothing is applied but what was checked', async () => {
    await expect(apply('.data.a) | .metadata.namespace = "kube-system" | del(.data.b')).rejects.toThrow(
      'the expression does more than select fields',
    );
    await expect(apply('.data.a) | .data.c = "3" | del(.data.b')).rejects.toThrow('JQ expression error in');
    expect((await apply('.data.a')).body.data).toEqual({ b: '2' });
  });
});
