import { expect, it } from 'vitest';
import { accountOf, isAccountOf, nextTokenIn, tokenAnnotations } from './token.policy.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const secret = {
  metadata: {
    annotations: {
      [tokenAnnotations.issued]: '2026-01-01T00:00:00Z',
      [tokenAnnotations.expires]: '2026-01-01T01:00:00Z',
      [tokenAnnotations.accountUid]: 'uid',
    },
  },
  data: { token: 'dG9rZW4=' },
};
const minutes = 60_000;

it.for([
  ['at once if there is none', undefined, 'uid', now, 0],
  ['at once for a service account that was made again', secret, 'other', now, 0],
  ['at once if it is not known when the token ends', { ...secret, metadata: {} }, 'uid', now, 0],
  ['when a fifth of its life is left', secret, 'uid', now, 48 * minutes],
  ['sooner as time passes', secret, 'uid', now + 40 * minutes, 8 * minutes],
  ['at once after that', secret, 'uid', now + 50 * minutes, 0],
] as const)('requests a token %s', ([, stored, uid, at, wait]) => {
  expect(nextTokenIn(stored, uid, at)).toBe(wait);
});

it('knows the service accounts that it made, each for one ProjectedServiceAccount', () => {
  const projected = (uid?: string) => ({ metadata: { namespace: 'c1', name: 'a', ...(uid && { uid }) }, spec: {} });
  const account = accountOf(projected('one'), 'agents');
  expect(isAccountOf(account, projected('one'))).toBe(true);
  expect(isAccountOf(account, projected('other'))).toBe(false);
  expect(isAccountOf({ metadata: { namespace: 'agents', name: 'a' } }, projected('one'))).toBe(false);
  expect(isAccountOf({ metadata: { namespace: 'agents', name: 'a' } }, projected())).toBe(false);
});
