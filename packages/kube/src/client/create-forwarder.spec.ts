import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { staticAccess } from '../credentials/static-access.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { createForwarder } from './create-forwarder.ts';
import type { TransportOptions } from './create-transport.ts';
import { openBody, SpecServer, type SpecServerOptions } from './fixtures/api-server.ts';
import { failure, useHarness } from './fixtures/harness.ts';

const harness = useHarness();
const impersonate = { user: 'jane', groups: ['a', 'b'] };
const get = { method: 'GET', path: '/x', impersonate } as const;

async function start(options: SpecServerOptions, settings: Partial<TransportOptions> = {}) {
  const server = await SpecServer.start({ tls: harness().tls, ...options });
  const access = server.access({
    ca: harness().authority.ca,
    authorization: 'Bearer own',
    impersonate: { user: 'root', groups: ['system:masters'], uid: '1' },
  });
  const forwarder = createForwarder({ access: staticAccess(access), userAgent: 'own/1', ...settings });
  return {
    server,
    forwarder,
    async [Symbol.asyncDispose]() {
      await forwarder.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function bytesOf(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

describe.each(['h2', 'http/1.1'] as const)('a forwarder over %s', (protocol) => {
  it('keeps an answer that ended before anybody reads it', async () => {
    await using world = await start({ protocol, handler: () => ({ body: Buffer.from('all of it') }) });
    const { body, isComplete } = await world.forwarder.forward(get);
    // Until the connection has heard of the end.
    for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect((await bytesOf(body)).toString()).toBe('all of it');
    expect(isComplete()).toBe(true);
  });

  it('acts for the user of the request and nobody else, with the credentials of the process', async () => {
    await using world = await start({ protocol, handler: () => ({}) });
    const headers = { 'Impersonate-User': 'admin', Authorization: 'Bearer theirs' };
    await world.forwarder.forward({ ...get, headers, userAgent: 'theirs/1' });
    const [seen] = world.server.seen;
    expect(seen?.headers).toMatchObject({
      authorization: 'Bearer own',
      'user-agent': 'theirs/1',
      'impersonate-user': 'jane',
    });
    expect(String(seen?.headers['impersonate-group']).split(/, ?/)).toEqual(['a', 'b']);
    expect(seen?.headers['impersonate-uid']).toBeUndefined();
  });

  it('gives every answer as it is: status, headers, and bytes that are not text', async () => {
    const body = gzipSync(Buffer.from([0xff, 0xfe, 0, 1]));
    const headers = { 'content-encoding': 'gzip', 'retry-after': '1' };
    await using world = await start({ protocol, handler: () => ({ status: 429, headers, body }) });
    const answer = await world.forwarder.forward({ ...get, headers: { 'accept-encoding': 'gzip' } });
    expect(answer.status).toBe(429);
    expect(answer.headers).toContainEqual(['retry-after', '1']);
    expect(answer.headers.some(([name]) => name.startsWith(':'))).toBe(false);
    expect(await bytesOf(answer.body)).toEqual(body);
    expect(answer.isComplete()).toBe(true);
  });

  it('throws a 401, which is about the process', async () => {
    await using world = await start({ protocol, handler: () => ({ status: 401 }) });
    expect((await failure(world.forwarder.forward(get))).code).toBe('Unauthorized');
  });

  it('has a deadline for the head of an answer, and none for its body', async () => {
    const clock = new FakeClock();
    const stream = openBody();
    const never = new Promise<never>(() => {});
    const handler = ({ path }: { path: string }) => (path === '/never' ? never : { stream });
    await using world = await start({ protocol, handler }, { clock, pingIntervalMs: 1e9 });
    const answer = await world.forwarder.forward({ ...get, deadlineMs: 10_000 });
    const late = failure(world.forwarder.forward({ ...get, path: '/never', deadlineMs: 10_000 }));
    await expect.poll(() => world.server.seen.length).toBe(2);
    await clock.advance(3_600_000);
    expect((await late).code).toBe('Timeout');
    stream.write('an hour later');
    expect(String((await once(answer.body, 'data'))[0])).toBe('an hour later');
  });

  it('ends a stream at the server when it is aborted', async () => {
    const stream = openBody();
    await using world = await start({ protocol, handler: () => ({ stream }) });
    const end = new AbortController();
    const answer = await world.forwarder.forward({ ...get, signal: end.signal });
    stream.write('one');
    expect(String((await once(answer.body, 'data'))[0])).toBe('one');
    expect(stream.listenerCount('data')).toBe(1);
    end.abort();
    // The server does not pipe into a response that is gone.
    await expect.poll(() => stream.listenerCount('data')).toBe(0);
    expect(answer.isComplete()).toBe(false);
  });
});
