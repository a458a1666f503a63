import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { parseTargets } from '../targets.ts';
import { connectLatency } from './latency.ts';
import { scoreOf } from './score.policy.ts';

it.for([
  ['nothing to measure', [], 0],
  ['an answer at once', [0], 100],
  ['an answer after half the limit', [500], 0],
  ['no answer', [undefined], -100],
  ['a late answer, which is none', [5_000], -100],
  ['one of two that does not answer', [0, undefined], 0],
  ['some milliseconds', [12, 30], 96],
] as const)('scores %s', ([, latencies, score]) => {
  expect(scoreOf(latencies)).toBe(score);
});

it('measures an address that accepts connections, and one that does not', async () => {
  await using server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  expect(await connectLatency({ host: '127.0.0.1', port }, 1_000)).toBeGreaterThanOrEqual(0);
  server.close();
  await new Promise((resolve) => server.once('close', resolve));
  expect(await connectLatency({ host: '127.0.0.1', port }, 1_000)).toBeUndefined();
});

it('reads addresses, also of IPv6, and refuses what is none with the variable and its part', () => {
  expect(parseTargets(' example.com:443, [::1]:80,')).toEqual([
    { host: 'example.com', port: 443 },
    { host: '::1', port: 80 },
  ]);
  expect(() => parseTargets('example.com:443,nowhere')).toThrow('variable TARGETS: "nowhere" is not of the form');
  expect(() => parseTargets('example.com:99999')).toThrow('example.com:99999');
});
