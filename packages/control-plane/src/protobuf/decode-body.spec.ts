import { KubeError } from '@flotilla/kube';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { message, protobufBody } from '../../fixtures/protobuf-body.ts';
import { builtInResources } from '../schema/built-in.ts';
import { decodeProtobufDeleteOptions, decodeProtobufObject } from './decode-body.ts';

const configMap = { group: '', version: 'v1', kind: 'ConfigMap' };
const named = message([1, message([1, 'a'])], [2, message([1, 'k'], [2, 'v'])]);

describe('a protobuf body', () => {
  it('is the object that a JSON client would send', () => {
    expect(decodeProtobufObject(protobufBody('v1', 'ConfigMap', named), configMap)).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a' },
      data: { k: 'v' },
    });
  });

  it('is of the kind that the path says if it says none itself', () => {
    expect(decodeProtobufObject(protobufBody('', '', named), configMap)).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a' },
    });
  });

  it('says its own kind and nothing more if that is another one', () => {
    expect(decodeProtobufObject(protobufBody('v1', 'Secret', named), configMap)).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
    });
  });

  it('may hold the options of a delete, of any version', () => {
    const options = message([1, 0], [2, message([1, 'some-uid'])], [4, 'Foreground'], [5, 'All']);
    expect(decodeProtobufDeleteOptions(protobufBody('apps/v1', 'DeleteOptions', options))).toEqual({
      apiVersion: 'apps/v1',
      kind: 'DeleteOptions',
      gracePeriodSeconds: 0,
      preconditions: { uid: 'some-uid' },
      propagationPolicy: 'Foreground',
      dryRun: ['All'],
    });
    expect(decodeProtobufDeleteOptions(protobufBody('', '', Buffer.alloc(0)))).toEqual({});
  });

  const unrecognized = 'the object provided is unrecognized (must be of type ConfigMap): ';
  it.each([
    ['empty', '', `${unrecognized}empty data (<empty>)`],
    ['nothing but its prefix', '6b387300', `${unrecognized}empty body (6b387300)`],
    [
      'JSON',
      Buffer.from('{"kind":"ConfigMap"}').toString('hex'),
      `${unrecognized}provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] ({"kind":"ConfigMap"})`,
    ],
    ['an envelope that ends early', '6b3873000a', `${unrecognized}unexpected EOF (6b3873000a)`],
    ['another message', '6b3873001010', `${unrecognized}proto: wrong wireType = 0 for field Raw (6b3873001010)`],
    [
      'an object that ends early',
      protobufBody('v1', 'ConfigMap', Buffer.from([10, 5])).toString('hex'),
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: unexpected EOF',
    ],
  ])('is refused with the words of the API server if it is %s', (_, hex, message) => {
    const decode = () => decodeProtobufObject(Buffer.from(hex, 'hex'), configMap);
    expect(decode).toThrow(expect.objectContaining({ status: 400, message: expect.stringContaining(message) }));
  });

  it('is refused without naming a kind if it should hold the options of a delete', () => {
    const body = protobufBody('v1', 'DeleteOptions', message([1, 'x']));
    expect(() => decodeProtobufDeleteOptions(body)).toThrow(/^BadRequest: proto: wrong wireType = 2 for field Grace/);
  });
});

describe('any bytes', () => {
  const kinds = fc.constantFrom(...builtInResources());
  const isAnswered = (decode: () => object): boolean => {
    try {
      return typeof decode() === 'object';
    } catch (error) {
      if (error instanceof KubeError && error.status === 400) return true;
      throw error;
    }
  };

  it('are an object or a bad request', () => {
    fc.assert(
      fc.property(kinds, fc.uint8Array({ maxLength: 200 }), (kind, bytes) =>
        isAnswered(() => decodeProtobufObject(protobufBody('', '', Buffer.from(bytes)), kind)),
      ),
      { numRuns: 1000 },
    );
  });

  it('in the form of messages in messages are an object or a bad request', () => {
    const { tree } = fc.letrec<{ tree: Buffer }>((tie) => ({
      tree: fc
        .array(
          fc.tuple(
            fc.integer({ min: 1, max: 45 }),
            fc.oneof({ maxDepth: 6 }, fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.string(), tie('tree')),
          ),
          { maxLength: 8 },
        )
        .map((fields) => message(...fields)),
    }));
    fc.assert(
      fc.property(kinds, tree, (kind, raw) => isAnswered(() => decodeProtobufObject(protobufBody('', '', raw), kind))),
      { numRuns: 1000 },
    );
  });

  it('after a good body was damaged are an object or a bad request', () => {
    const body = protobufBody('v1', 'ConfigMap', named);
    const damage = fc.record({
      at: fc.nat({ max: body.length - 1 }),
      byte: fc.nat({ max: 255 }),
      end: fc.nat({ max: body.length }),
    });
    fc.assert(
      fc.property(damage, ({ at, byte, end }) => {
        const damaged = Buffer.from(body);
        damaged[at] = byte;
        return (
          isAnswered(() => decodeProtobufObject(damaged.subarray(0, end), configMap)) &&
          isAnswered(() => decodeProtobufDeleteOptions(damaged.subarray(0, end)))
        );
      }),
      { numRuns: 1000 },
    );
  });
});
