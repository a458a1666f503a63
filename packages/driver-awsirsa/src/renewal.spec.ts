import assert from 'node:assert/strict';
import { startTestFleet } from '@flotilla/registration-core/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type FakeAws, startFakeAws } from '../fixtures/fake-aws.ts';
import { awsFleet } from './fixtures/fleet.ts';

let aws: FakeAws;
beforeEach(async () => {
  aws = await startFakeAws();
  vi.stubEnv('AWS_ENDPOINT_URL', aws.endpoint);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDTEST');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await aws[Symbol.asyncDispose]();
});

it('an agent renews its tokens for hours before the hub refuses one, and keeps the session of its role while that lasts', async () => {
  const options = awsFleet(aws);
  await using fleet = await startTestFleet(options);
  aws.setClock(() => fleet.clock.now());
  const agent = fleet.startAgent();
  await fleet.eventually(async () => assert.ok(await fleet.admin.cluster('c1')));
  await fleet.admin.accept('c1');
  await fleet.eventually(async () => {
    await options.grant(fleet, 'c1');
    assert.equal(agent.state.phase, 'running');
  });
  fleet.network.refusals.length = 0;
  aws.calls.length = 0;
  await fleet.pass(2 * 60 * 60_000);
  expect(agent.state.phase).toBe('running');
  expect(fleet.network.refusals).toEqual([]);
  // A session serves tokens for 44 of its 60 minutes: none outlives the keys that signed it.
  expect(new Set(aws.calls)).toEqual(new Set(['sts:AssumeRole']));
  expect(aws.calls.length).toBeLessThanOrEqual(3);
});
