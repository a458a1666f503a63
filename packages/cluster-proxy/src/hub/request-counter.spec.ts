import { expect, it } from 'vitest';
import { RequestCounter } from './request-counter.ts';

it('bounds requests to a cluster and of a user to it, and forgets those that have ended', () => {
  const counter = new RequestCounter({ perCluster: 3, perUser: 2 });
  const first = counter.take('a', 'alice');
  counter.take('a', 'alice');
  expect(() => counter.take('a', 'alice')).toThrow('2 requests of user alice to cluster a are under way');
  counter.take('a', 'bob');
  expect(() => counter.take('a', 'carol')).toThrow('3 requests of cluster a are under way');
  counter.take('b', 'alice');
  first();
  counter.take('a', 'alice');
});
