import { createKubeClient, staticAccess } from '@flotilla/kube';
import { selfSubjectReviews } from '@flotilla/kube/kinds';
import { expect, it } from 'vitest';
import type { AuthenticateToken, ControlPlane } from '../../index.ts';
import { startControlPlane } from '../../start.ts';

const jane = { name: 'jane', groups: ['devs'] };

/** Who the server says that the bearer of a token is, or the code of its refusal. */
async function bearerOf({ access: { server, ca } }: ControlPlane, token: string): Promise<unknown> {
  const access = { server, ...(ca && { ca }), authorization: `Bearer ${token}`, origin: 'a test' };
  await using client = createKubeClient({ access: staticAccess(access) });
  return await client
    .resource(selfSubjectReviews)
    .create({})
    .then(
      ({ status }) => status?.userInfo,
      ({ code }) => code,
    );
}

it('authenticates tokens by a function of who starts the server, and refuses all others', async () => {
  const asked: string[] = [];
  const authenticateToken: AuthenticateToken = async (token) => {
    asked.push(token);
    if (token === 'broken') throw new Error('the issuer does not answer');
    return token === 'mine' ? jane : undefined;
  };
  await using plane = await startControlPlane({ staticTokens: { fixed: jane }, authenticateToken });
  expect(await bearerOf(plane, 'mine')).toEqual({ username: 'jane', groups: ['devs', 'system:authenticated'] });
  expect(await bearerOf(plane, 'other')).toBe('Unauthorized');
  expect(await bearerOf(plane, 'broken')).toBe('Unauthorized');
  // Tokens that the server knows are its own affair.
  expect(await bearerOf(plane, 'fixed')).toMatchObject({ username: 'jane' });
  expect(asked).not.toContain('fixed');
});
