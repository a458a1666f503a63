import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinKey, keyOf, splitKey } from './keys.ts';

const part = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,20}[a-z0-9])?$/);

describe('a key', () => {
  it('comes apart as it was joined', () => {
    fc.assert(
      fc.property(fc.option(part, { nil: undefined }), part, (namespace, name) => {
        expect(splitKey(joinKey(namespace, name))).toEqual(namespace === undefined ? { name } : { namespace, name });
      }),
    );
  });

  it('is that of the metadata', () => {
    expect(keyOf({ metadata: { name: 'b', namespace: 'a' } })).toBe('a/b');
    expect(keyOf({ metadata: { name: 'b' } })).toBe('b');
    expect(keyOf({ metadata: { name: 'b', namespace: '' } })).toBe('b');
  });

  it('needs a name', () => {
    expect(() => keyOf({ kind: 'Pod', metadata: {} })).toThrow('metadata.name is not set on this Pod');
  });

  it.each(['', '/', 'a/', '/a', 'a/b/c', 'a//b'])('is not %j', (key) => {
    expect(() => splitKey(key)).toThrow('BadRequest');
  });
});
