import { driverConformance } from '@flotilla/registration-core/testing';
import { afterAll, beforeAll, beforeEach, describe, it, vi } from 'vitest';
import { startFakeAws } from '../fixtures/fake-aws.ts';
import { awsFleet } from './fixtures/fleet.ts';

const aws = await startFakeAws();

describe('the driver for IAM roles, as every driver,', () => {
  beforeAll(() => {
    vi.stubEnv('AWS_ENDPOINT_URL', aws.endpoint);
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDTEST');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  });
  beforeEach(() => {
    aws.roles.clear();
    aws.entries.clear();
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await aws[Symbol.asyncDispose]();
  });

  const cases = driverConformance({ ...awsFleet(aws), refreshes: true });
  for (const { name, run } of cases) it(name, run);
});
