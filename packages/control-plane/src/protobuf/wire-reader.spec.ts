import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { doubleField, message } from '../../fixtures/protobuf-body.ts';
import { WireReader } from './wire-reader.ts';

const fail = (message: string): never => {
  throw new Error(message);
};
const readerOf = (bytes: Buffer | string): WireReader =>
  new WireReader(typeof bytes === 'string' ? Buffer.from(bytes, 'hex') : bytes, fail);

describe('the wire reader', () => {
  it('reads every 64-bit number that another library writes', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (number) => {
        const reader = readerOf(message([1, number]));
        expect(reader.tag('M')).toEqual({ field: 1, wireType: 0 });
        expect(BigInt.asIntN(64, reader.varint())).toBe(number);
        expect(reader.done).toBe(true);
      }),
    );
  });

  it('reads every field number that another library writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 28 - 1 }), fc.uint8Array(), (field, bytes) => {
        const reader = readerOf(message([field, Buffer.from(bytes)]));
        expect(reader.tag('M')).toEqual({ field, wireType: 2 });
        expect(reader.bytes()).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it('reads doubles', () => {
    const reader = readerOf(doubleField(3, -1.5));
    expect(reader.tag('M')).toEqual({ field: 3, wireType: 1 });
    expect(reader.double()).toBe(-1.5);
  });

  it.each([
    ['a varint', '0896ac3c'],
    ['eight bytes', '090000000000000000'],
    ['a string', '0a03616263'],
    ['four bytes', '0d00000000'],
    ['a group', '0b08010c'],
    ['a group in a group', '0b1308010a01611c0c'],
  ])('skips %s', (_, hex) => {
    const reader = readerOf(`${hex}1001`);
    reader.skip(reader.tag('M').wireType);
    expect(reader.tag('M')).toEqual({ field: 2, wireType: 0 });
  });

  it.each([
    ['ends within a tag', '80', 'unexpected EOF'],
    ['ends within a length', '0a80', 'unexpected EOF'],
    ['says more bytes than there are', '0a0561', 'unexpected EOF'],
    ['says as many bytes as no memory has', '0affffffffffffff7f', 'unexpected EOF'],
    ['has a negative length', '0affffffffffffffffff01', 'proto: negative length found during unmarshaling'],
    ['has a number of more than 64 bits', '08ffffffffffffffffffff01', 'proto: integer overflow'],
    ['has field 0', '0205', 'proto: M: illegal tag 0 (wire type 2)'],
    ['has a negative field', 'ffffffffffffffffff7f', 'proto: M: illegal tag -1 (wire type 18446744073709551615)'],
    ['ends a group that did not begin', '0c', 'proto: M: wiretype end group for non-group'],
    ['does not end a group', '0b0801', 'unexpected EOF'],
    ['has a wire type that there is not', '0e', 'proto: illegal wireType 6'],
    ['ends within eight bytes', '0900', 'unexpected EOF'],
    ['ends within four bytes', '0d00', 'unexpected EOF'],
  ])('refuses a message that %s', (_, hex, message) => {
    const reader = readerOf(hex);
    expect(() => {
      while (!reader.done) reader.skip(reader.tag('M').wireType);
    }).toThrow(message);
  });
});
