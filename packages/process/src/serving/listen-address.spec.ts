import { describe, expect, it } from 'vitest';
import { parseListenAddress } from './listen-address.ts';

describe('an address to listen at', () => {
  it.each([
    ['127.0.0.1:8443', { host: '127.0.0.1', port: 8443 }],
    ['localhost:0', { host: 'localhost', port: 0 }],
    ['[::1]:8443', { host: '::1', port: 8443 }],
    [':8443', { host: undefined, port: 8443 }],
    ['0', undefined],
    ['', undefined],
  ])('is read: %j', (text, expected) => {
    expect(parseListenAddress(text)).toEqual(expected);
  });

  it.each(['8443', 'localhost', '::1:8443', 'a:b', '127.0.0.1:99999', '[not-ip]:1', 'http://a:1'])(
    'is refused, with the way to write it: %j',
    (text) => {
      expect(() => parseListenAddress(text)).toThrow(/^Config: .* is not an address to listen at; write it as /);
    },
  );
});
