import { silentLogger } from '@flotilla/kube';
import { expect, it } from 'vitest';
import { claimAddresses, NodeAddresses } from './node-addresses.ts';

it('gives each owner an address of its own, the same until it is released', () => {
  const addresses = new NodeAddresses('127.64.0');
  expect(addresses.node).toBe('127.64.0.1');
  const [first, second] = [addresses.of('a'), addresses.of('b')];
  expect([first, second, addresses.of('a')]).toEqual(['127.64.0.2', '127.64.0.3', '127.64.0.2']);
  addresses.release('a');
  // Whoever still connects to the old one must not reach another pod.
  expect(addresses.of('c')).toBe('127.64.0.4');
});

it('says so when all are taken', () => {
  const addresses = new NodeAddresses('127.64.0');
  const given = new Set(Array.from({ length: 253 }, (_, index) => addresses.of(String(index))));
  expect(given.size).toBe(253);
  expect(() => addresses.of('one more')).toThrow(/all 253 addresses of 127.64.0.0\/24 are taken/);
});

it('takes another network when a node has the first', async () => {
  const tried: string[] = [];
  const addresses = await claimAddresses(silentLogger, async (address) => {
    tried.push(address);
    if (tried.length === 1) throw Object.assign(new Error('in use'), { code: 'EADDRINUSE' });
  });
  expect(tried.length).toBe(2);
  expect(addresses.node).toBe(tried[1]);
  const failing = claimAddresses(silentLogger, () => Promise.reject(new Error('no rights')));
  await expect(failing).rejects.toThrow('no rights');
});
