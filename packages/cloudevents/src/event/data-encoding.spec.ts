import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { CloudEvent } from './cloud-event.ts';
import { compressed, decompressed } from './data-encoding.ts';

const event = (bytes: number): CloudEvent => ({
  id: '1',
  source: 'kube',
  type: 'x',
  extensions: { clustername: 'c1' },
  data: new Uint8Array(bytes).fill(65),
});

describe('the data of an event', () => {
  it('is compressed if it is large, and is the same afterwards', () => {
    const large = event(100_000);
    const sent = compressed(large);
    expect(sent.data?.length).toBeLessThan(1000);
    expect(sent.extensions).toEqual({ clustername: 'c1', dataencoding: 'gzip' });
    const received = decompressed(sent, 200_000);
    expect({ ...received, data: Buffer.from(received.data ?? []) }).toEqual({
      ...large,
      data: Buffer.from(large.data ?? []),
    });
  });

  it('stays as it is if it is small', () => {
    const small = event(100);
    expect(compressed(small)).toBe(small);
    expect(decompressed(small, 10)).toBe(small);
  });

  it.each<[string, CloudEvent, RegExp]>([
    ['grows beyond the limit', { ...event(1), data: gzipSync(new Uint8Array(1_000_000)) }, /at most 1000 bytes/],
    ['is not compressed', event(100), /cannot be decompressed/],
    ['is missing', { id: '1', source: '', type: 'x', extensions: {} }, /cannot be decompressed/],
  ])('is refused if it %s', (_, given, message) => {
    const encoded = { ...given, extensions: { dataencoding: 'gzip' } };
    expect(() => decompressed(encoded, 1000)).toThrow(message);
  });

  it('is refused in an encoding that is not known', () => {
    const encoded = { ...event(1), extensions: { dataencoding: 'zstd' } };
    expect(() => decompressed(encoded, 1000)).toThrow('extension dataencoding is "zstd", and must be "gzip"');
  });
});
