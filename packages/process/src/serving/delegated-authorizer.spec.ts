import { createKubeClient } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { ScriptedTransport } from '@flotilla/kube/testing/internal';
import { describe, expect, it } from 'vitest';
import { delegatedAuthorizer } from './delegated-authorizer.ts';
import { serve } from './serve.ts';

const user = { username: 'prometheus', uid: 'u1', groups: ['monitoring'], extra: { a: ['b'] } };

/** An API server that knows the token `known`, and whoever may read; and a route behind the authorizer. */
async function world({ allowed = true, down = () => false }: { allowed?: boolean; down?: () => boolean } = {}) {
  const clock = new FakeClock();
  const transport = new ScriptedTransport(({ path, body }) => {
    if (down()) return { status: 500, body: 'down' };
    if (path.endsWith('/subjectaccessreviews')) return { body: { status: { allowed } } };
    const authenticated = JSON.parse(String(body)).spec.token.startsWith('known');
    return { body: { status: authenticated ? { authenticated, user } : { authenticated } } };
  });
  const client = createKubeClient({ transport, clock });
  const authorize = delegatedAuthorizer({ client, clock });
  const server = await serve({
    address: { host: '127.0.0.1', port: 0 },
    routes: ['/metrics', '/debug'].map((path) => ({
      path,
      handle: async (request) => (await authorize(request)) ?? { status: 200, body: 'secret' },
    })),
  });
  const get = async (authorization?: string, path = '/metrics') => {
    const response = await fetch(`${server.url}${path}`, { headers: authorization ? { authorization } : {} });
    return { status: response.status, text: await response.text() };
  };
  const asked = () => transport.requests.map(({ path }) => path.split('/').at(-1));
  return { get, asked, transport, clock, [Symbol.asyncDispose]: () => server.close() };
}

describe('a path behind the delegated authorizer', () => {
  it.each([
    ['no token', undefined],
    ['another scheme', 'Basic a25vd246'],
    ['an empty token', 'Bearer '],
  ])('answers 401 to %s, without a review', async (_, authorization) => {
    await using there = await world();
    expect(await there.get(authorization)).toMatchObject({ status: 401, text: expect.not.stringContaining('secret') });
    expect(there.asked()).toEqual([]);
  });

  it('answers 401 to a token that the API server does not know', async () => {
    await using there = await world();
    expect((await there.get('Bearer forged')).status).toBe(401);
    expect(there.asked()).toEqual(['tokenreviews']);
  });

  it('answers 403 to a user without the right, by name', async () => {
    await using there = await world({ allowed: false });
    expect(await there.get('Bearer known')).toEqual({
      status: 403,
      text: 'user "prometheus" cannot get path "/metrics"\n',
    });
  });

  it('answers a user with the right, whom it describes to the API server in full', async () => {
    await using there = await world();
    expect(await there.get('bearer known')).toEqual({ status: 200, text: 'secret' });
    const { username, ...rest } = user;
    expect(JSON.parse(String(there.transport.last.body)).spec).toEqual({
      user: username,
      ...rest,
      nonResourceAttributes: { path: '/metrics', verb: 'get' },
    });
  });

  it('uses a decision again for ten seconds, for the same token and path only', async () => {
    await using there = await world();
    await Promise.all([there.get('Bearer known'), there.get('Bearer known')]);
    await there.clock.advance(9999);
    await there.get('Bearer known');
    expect(there.asked()).toHaveLength(2);
    await there.get('Bearer known', '/debug');
    await there.get('Bearer known-too');
    expect(there.asked()).toHaveLength(6);
    await there.clock.advance(1);
    await there.get('Bearer known');
    expect(there.asked()).toHaveLength(8);
  });

  it('denies all requests while the API server does not answer, and asks again at the next one', async () => {
    let isDown = true;
    await using there = await world({ down: () => isDown });
    const refused = there.get('Bearer known');
    await there.clock.advance(60_000);
    expect((await refused).status).toBe(500);
    isDown = false;
    expect((await there.get('Bearer known')).status).toBe(200);
  });

  it('remembers no more than 256 decisions', async () => {
    await using there = await world();
    for (let index = 0; index <= 256; index += 1) await there.get(`Bearer forged-${index}`);
    await there.get('Bearer forged-1');
    expect(there.asked()).toHaveLength(257);
    await there.get('Bearer forged-0');
    expect(there.asked()).toHaveLength(258);
  });
});
