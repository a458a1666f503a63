import { describe, expect, it } from 'vitest';
import { compileArnPatterns } from './approval.ts';

const arn = (region: string, account = '123456789012') => `arn:aws:eks:${region}:${account}:cluster/c1`;
const matches = compileArnPatterns([
  'arn:aws:eks:us-west-2:123456789012:cluster/.*',
  'arn:aws:eks:us-west-1:123456789012:cluster/.*',
]);

describe('[registration-hub 19.5-62] patterns of ARNs', () => {
  it.each([
    ['accept an ARN that matches the first', arn('us-west-2'), true],
    ['accept an ARN that matches the second', arn('us-west-1'), true],
    ['refuse another account', arn('us-west-2', '999999999999'), false],
    ['refuse an ARN behind other text', `XXXXXX${arn('us-west-2')}`, false],
    ['refuse no ARN', '', false],
  ])('%s', (_, text, accepted) => {
    expect(matches(text)).toBe(accepted);
  });

  it('refuse a match of a part only', () => {
    expect(compileArnPatterns(['arn:aws:eks:us-west-2:123456789012:cluster/c'])(arn('us-west-2'))).toBe(false);
  });

  it('refuse all ARNs if there are none', () => {
    expect(compileArnPatterns([])(arn('us-west-2'))).toBe(false);
  });

  it('[registration-hub 19.5-63] that cannot be read end the start, and are named', () => {
    expect(() => compileArnPatterns(['arn:(aws'])).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('Failed to process auto approval ARN pattern: "arn:(aws"'),
      }),
    );
  });
});
