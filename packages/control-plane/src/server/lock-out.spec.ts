import { expect, test } from 'vitest';
import { type AuthServer, createAuthServer, grant } from '../../fixtures/auth-server.ts';
import { systemMasters } from '../contracts/user-info.ts';
import { defaultLimits } from '../limits/limits.ts';

const path = '/api/v1/namespaces/default/configmaps';
const { maxAnswersBytesPerUser, maxBodyBytes, maxBodiesBytesPerUser, maxRequestsPerUser, minRequestsPerUser } =
  defaultLimits;
const stalling = ['a', 'b', 'c'];
const crowd = Array.from({ length: defaultLimits.maxReservedRequests / minRequestsPerUser }, (_, index) => `u${index}`);

/** Each user may write configmaps, and has the own name as token. */
function createServer(): AuthServer {
  const users = [...stalling, ...crowd, 'd'];
  const tokens = Object.fromEntries(users.map((name) => [name, { name, groups: [] }]));
  const server = createAuthServer({ ...tokens, admin: { name: 'admin', groups: [systemMasters] } });
  for (const user of users) grant(server, user, [{ apiGroups: [''], resources: ['configmaps'], verbs: ['*'] }]);
  return server;
}

interface Sent {
  readonly token?: string;
  readonly bytes?: number;
  readonly isStalled?: boolean;
  readonly to?: string;
}

/** Sends a request whose body counts as so many bytes, of which the last never comes if it is stalled. */
async function send(server: AuthServer, { token, bytes = 0, isStalled = false, to = path }: Sent): Promise<number> {
  const { status } = await server.handler({
    method: to === path ? 'POST' : 'GET',
    path: to,
    query: new URLSearchParams(),
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    async readBody(count) {
      count(bytes);
      if (isStalled) await new Promise<never>(() => {});
      return Buffer.from('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"}}');
    },
    signal: new AbortController().signal,
  });
  return status;
}

function stall(server: AuthServer, token: string, requests: number, bytes: number): void {
  for (let sent = 0; sent < requests; sent++) void send(server, { token, bytes: bytes / requests, isStalled: true });
}

test.each<[string, Sent, number]>([
  ['the body of another user of the maximal size is taken', { token: 'd', bytes: maxBodyBytes }, 201],
  ['they themselves are refused', { token: 'a' }, 429],
])('while three users stall as many requests and bodies as they may, %s', async (_, sent, status) => {
  const server = createServer();
  for (const user of stalling) stall(server, user, maxRequestsPerUser, maxBodiesBytesPerUser);
  await server.clock.settle();
  expect(await send(server, sent)).toBe(status);
});

test.each<[string, Sent, number]>([
  ['an administrator is served', { token: 'admin', bytes: maxBodyBytes }, 201],
  ['a health probe without credentials is served', { to: '/livez' }, 200],
  ['a user beyond the reserve is refused', { token: 'd' }, 429],
])('while users hold the total and what is reserved beyond it, %s', async (_, sent, status) => {
  const server = createServer();
  for (const user of stalling) stall(server, user, maxRequestsPerUser, maxBodiesBytesPerUser);
  await server.clock.settle();
  for (const user of crowd) stall(server, user, minRequestsPerUser, 0);
  await server.clock.settle();
  expect(await send(server, sent)).toBe(status);
});

test('what a user does is done or refused, however many answers the user has not read', async () => {
  const server = createServer();
  const data = { text: 'x'.repeat(maxBodyBytes) };
  const enough = Math.ceil(maxAnswersBytesPerUser / maxBodyBytes) + 2;
  const names = Array.from({ length: enough }, (_, index) => `m${index}`);
  const answers: Record<string, number> = {};
  for (const name of names) {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
    answers[name] = (await server.call('POST', path, { token: 'd', body })).status;
  }
  expect(Object.values(answers)).toContain(429);
  const done = names.filter((name) => server.storage.get('/configmaps', `default/${name}`));
  expect(done).toEqual(names.filter((name) => answers[name] === 201));
});
