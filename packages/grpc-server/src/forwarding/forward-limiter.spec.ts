import { FakeClock } from '@flotilla/kube/testing';
import { expect, it } from 'vitest';
import { ForwardLimiter } from './forward-limiter.ts';

it('bounds the requests that a cluster has under way, and not those of another', () => {
  const limiter = new ForwardLimiter(new FakeClock(), { atOnce: 2, perSecond: 100, burst: 100 });
  const release = limiter.take('c1');
  limiter.take('c1');
  expect(() => limiter.take('c1')).toThrow('have 2 requests under way');
  limiter.take('c2');
  release();
  release();
  limiter.take('c1');
  expect(() => limiter.take('c1')).toThrow('under way');
});

it('bounds how many it sends in a second', async () => {
  const clock = new FakeClock();
  const limiter = new ForwardLimiter(clock, { atOnce: 100, perSecond: 10, burst: 2 });
  for (let i = 0; i < 2; i += 1) limiter.take('c1')();
  expect(() => limiter.take('c1')).toThrow('more than 10 requests a second');
  await clock.advance(100);
  limiter.take('c1')();
});
