import { STSClient } from '@aws-sdk/client-sts';
import { FakeClock } from '@flotilla/kube/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeAws, startFakeAws } from '../../fixtures/fake-aws.ts';
import { arnOf } from '../fixtures/arns.ts';
import { createTokenCredentials } from './token-credentials.ts';
import { createTokenSource } from './token-source.ts';

const hub = arnOf('hub');
const roleArn = 'arn:aws:iam::123456789012:role/ocm-hub-abc';
const { signal } = new AbortController();

let aws: FakeAws;
beforeEach(async () => {
  aws = await startFakeAws();
  aws.roles.set('ocm-hub-abc', { name: 'ocm-hub-abc', arn: roleArn, trustPolicy: '{}', tags: {} });
});
afterEach(() => aws[Symbol.asyncDispose]());

function setUp() {
  const clock = new FakeClock(Date.parse('2029-12-31T23:00:00Z'));
  const sts = new STSClient({
    region: 'us-west-2',
    endpoint: aws.endpoint,
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 1,
  });
  const tokens = createTokenSource({ sts, hub, roleArn, sessionName: 'cluster one', clock });
  return { clock, tokens, credentials: createTokenCredentials(async () => tokens, roleArn, signal) };
}

describe('tokens for the hub', () => {
  it('share one session of the role while it lasts for the whole life of a token', async () => {
    const { clock, tokens } = setUp();
    const first = await tokens.mint(signal);
    expect(first.expiresAt).toBe(clock.now() + 14 * 60_000);
    await clock.advance(30 * 60_000);
    await tokens.mint(signal);
    expect(aws.calls).toEqual(['sts:AssumeRole']);
    // The session of the fake ends an hour after the start.
    await clock.advance(15 * 60_000);
    await tokens.mint(signal);
    expect(aws.calls).toEqual(['sts:AssumeRole', 'sts:AssumeRole']);
  });

  it('that are needed at the same moment come from one session', async () => {
    const { tokens } = setUp();
    await Promise.all([tokens.mint(signal), tokens.mint(signal), tokens.mint(signal)]);
    expect(aws.calls).toEqual(['sts:AssumeRole']);
  });

  it('come from a new session after the hub refused one', async () => {
    const { credentials } = setUp();
    const { authorization } = await credentials.current({});
    expect(authorization).toMatch(/^Bearer k8s-aws-v1\./);
    credentials.invalidate?.();
    await credentials.current({});
    expect(aws.calls).toEqual(['sts:AssumeRole', 'sts:AssumeRole']);
  });

  it('say what is missing when AWS refuses the role, until it allows it', async () => {
    const { credentials } = setUp();
    aws.fail('sts:AssumeRole', { status: 403, code: 'AccessDenied' });
    await expect(credentials.current({})).rejects.toThrow(`Allow sts:AssumeRole on ${roleArn}`);
    expect(credentials.failure()?.message).toContain('AccessDenied');
    await credentials.current({});
    expect(credentials.failure()).toBeUndefined();
  });
});
