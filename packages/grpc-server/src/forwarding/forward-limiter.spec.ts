import { FakeClock } from '@flotilla/kube/testing';
import { expect, it } from 'vitest';
import { ForwardLimiter } from './forward-limiter.ts';

it('bounds the requests that a cluster has under way, and not those of another', () => {
  const limiter = new ForwardLimiter(new FakeClock(), { atOnce: 2, perSecond: 100, burst: 100, heldBytes: 0 });
  const first = limiter.take('c1');
  limiter.take('c1');
  expect(() => limiter.take('c1')).toThrow('have 2 requests under way');
  limiter.take('c2');
  first.release();
  first.release();
  limiter.take('c1');
  expect(() => limiter.take('c1')).toThrow('under way');
});

it('bounds how many it sends in a second', async () => {
  const clock = new FakeClock();
  const limiter = new ForwardLimiter(clock, { atOnce: 100, perSecond: 10, burst: 2, heldBytes: 0 });
  for (let i = 0; i < 2; i += 1) limiter.take('c1').release();
  expect(() => limiter.take('c1')).toThrow('more than 10 requests a second');
  await clock.advance(100);
  limiter.take('c1').release();
});

it('bounds the bytes that the requests of a cluster hold together, until they end', () => {
  const limiter = new ForwardLimiter(new FakeClock(), { atOnce: 10, perSecond: 100, burst: 100, heldBytes: 10 });
  const [first, second] = [limiter.take('c1'), limiter.take('c1')];
  first.hold(4);
  first.hold(2);
  second.hold(4);
  expect(() => second.hold(1)).toThrow('have requests of 10 bytes under way');
  limiter.take('c2').hold(10);
  first.release();
  first.release();
  second.hold(6);
  expect(() => second.hold(1)).toThrow('under way');
  expect(() => first.hold(1)).toThrow('has ended');
});
