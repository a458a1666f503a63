import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { manifestSize } from './manifest-size.ts';

/** A value whose JSON has this many bytes: a text with its two quotes. */
const ofBytes = (bytes: number) => 'x'.repeat(bytes - 2);

describe('the size of a manifest', () => {
  it.each([
    [2, 4],
    [127, 129],
    [128, 131],
    [16_383, 16_386],
    [16_384, 16_388],
    [2_097_151, 2_097_155],
    [2_097_152, 2_097_157],
  ])('%i bytes of JSON are %i with tag and length', (bytes, size) => {
    expect(manifestSize(ofBytes(bytes))).toBe(size);
  });

  it.each([
    ['an umlaut by its bytes', 'ü', 2],
    ['a quote by its escape', '"', 2],
    ['a line feed by its escape', '\n', 2],
    ['less-than as Go escapes it', '<', 6],
    ['greater-than as Go escapes it', '>', 6],
    ['an ampersand as Go escapes it', '&', 6],
    ['a line separator as Go escapes it', '\u2028', 6],
  ])('counts %s', (_, text, bytes) => {
    expect(manifestSize(text)).toBe(1 + 1 + 2 + bytes);
  });

  it('is the length of the protobuf field that Go would write', () => {
    const goEscapes = (text: string) =>
      text.replace(/[<>&\u2028\u2029]/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
    const varint = (value: number): number => (value < 128 ? 1 : 1 + varint(Math.floor(value / 128)));
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: fc.constantFrom('<', '&', '\u2029', 'ä', '"', 'x') }), (value) => {
        const bytes = Buffer.byteLength(goEscapes(JSON.stringify(value)));
        expect(manifestSize(value)).toBe(1 + varint(bytes) + bytes);
      }),
      { numRuns: 200 },
    );
  });
});
