import { describe, expect, it } from 'vitest';
import { isLoopback } from './loopback.ts';

describe('loopback', () => {
  it('is known by address and name', () => {
    for (const host of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1', 'localhost'])
      expect(isLoopback(host)).toBe(true);
    for (const host of [
      '10.0.0.1',
      '0.0.0.0',
      '::',
      'localhost.evil.com',
      '127.0.0.1.evil.com',
      '127.evil.com',
      undefined,
    ]) {
      expect(isLoopback(host)).toBe(false);
    }
  });
});
