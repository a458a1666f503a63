import { expect, it } from 'vitest';
import { loopbackServers } from './loopback-server.ts';

it('finds the servers that a pod would look for on its own loopback', () => {
  const urls = [
    'https://127.0.0.1:6443',
    'https://localhost',
    'http://127.9.0.1/',
    'https://198.18.0.1:6443',
    'https://hub',
  ];
  expect(loopbackServers(urls)).toEqual([
    { address: '127.0.0.1', port: 6443 },
    { address: '127.0.0.1', port: 443 },
    { address: '127.9.0.1', port: 80 },
  ]);
});

it.each([
  ['what is no URL', 'hub', /servers: "hub" is not a URL/],
  ['the loopback of IPv6', 'https://[::1]:6443', /cannot reach "https:\/\/\[::1\]:6443"/],
])('refuses %s', (_, url, message) => {
  expect(() => loopbackServers([url])).toThrow(message);
});
