import { firstValueFrom } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import type { ClusterAccess } from '../credentials/access.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { type Handler, openBody, SpecServer } from './fixtures/api-server.ts';
import { failure, useHarness } from './fixtures/harness.ts';
import { createAuthority } from './fixtures/pki.ts';
import { ManualAccess, recordingLogger, recordingMetrics } from './fixtures/recorders.ts';

const harness = useHarness();
const get = { method: 'GET', path: '/api' } as const;

/** Accepts the given tokens. */
const guarded =
  (good: Set<string>): Handler =>
  ({ headers }) => ({ status: good.has(String(headers.authorization)) ? 200 : 401 });

const start = (handler: Handler, clientCa?: string) =>
  SpecServer.start({ tls: harness().tls, handler, ...(clientCa !== undefined && { clientCa }) });

const access = (server: SpecServer, more: Partial<ClusterAccess> = {}) =>
  server.access({ ca: harness().authority.ca, ...more });

describe('a new token', () => {
  it('is asked about once and then serves the next request, on the same connection', async () => {
    await using server = await start(guarded(new Set(['Bearer one', 'Bearer two'])));
    const source = new ManualAccess(access(server, { authorization: 'Bearer one' }));
    const transport = harness().connect(source);
    await transport.request(get);
    source.change(access(server, { authorization: 'Bearer two' }));
    await transport.request(get);
    expect(server.seen.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/api', 'Bearer one'],
      ['/version', 'Bearer two'],
      ['/api', 'Bearer two'],
    ]);
    expect(server.connections).toBe(1);
  });

  it('that the server does not know yet does not replace the old one until it does', async () => {
    const good = new Set(['Bearer one']);
    await using server = await start(guarded(good));
    const clock = new FakeClock();
    const log = recordingLogger();
    const source = new ManualAccess(access(server, { authorization: 'Bearer one' }));
    const transport = harness().connect(source, { clock, log });
    await transport.request(get);
    source.change(access(server, { authorization: 'Bearer two' }));
    expect((await transport.request(get)).status).toBe(200);
    expect(log.warnings.map(({ message }) => message)).toEqual([
      'the server does not accept the new access, the old one stays in use',
    ]);
    good.clear();
    good.add('Bearer two');
    await clock.advance(5_000);
    expect((await transport.request(get)).status).toBe(200);
    expect(server.seen.at(-1)?.headers.authorization).toBe('Bearer two');
  });
});

describe('after a 401', () => {
  it('the credentials are read again and the request is sent once more', async () => {
    await using server = await start(guarded(new Set(['Bearer two'])));
    const source = new ManualAccess(access(server, { authorization: 'Bearer one' }));
    source.afterInvalidate = access(server, { authorization: 'Bearer two' });
    const metrics = recordingMetrics();
    const transport = harness().connect(source, { metrics });
    expect((await transport.request({ method: 'POST', path: '/api', body: '{}' })).status).toBe(200);
    expect(metrics.requests).toEqual(['POST 401', 'POST 200']);
    expect(metrics.retries).toEqual(['POST credentials']);
  });

  it('with credentials that stay bad the error says so, and the source is not asked for each request', async () => {
    await using server = await start(() => ({ status: 401 }));
    const source = new ManualAccess(access(server, { authorization: 'Bearer one' }));
    const clock = new FakeClock();
    const transport = harness().connect(source, { clock });
    for (let i = 0; i < 3; i++) expect(await failure(transport.request(get))).toMatchObject({ code: 'Unauthorized' });
    expect(source.invalidations).toBe(1);
    await clock.advance(5_000);
    for (let i = 0; i < 3; i++) expect(await failure(transport.request(get))).toMatchObject({ code: 'Unauthorized' });
    expect(source.invalidations).toBe(2);
  });
});

describe('a new client certificate', () => {
  it('opens a new connection, lets running requests end on the old one, and signals streams to reopen', async () => {
    const held = Promise.withResolvers<void>();
    const { authority } = harness();
    const handler: Handler = async ({ path }) => {
      if (path === '/held') await held.promise;
      return path === '/watch' ? { stream: openBody(), body: 'x' } : {};
    };
    await using server = await start(handler, authority.ca);
    const [old, next] = await Promise.all(['old', 'next'].map((commonName) => authority.issue({ commonName })));
    const metrics = recordingMetrics();
    const source = new ManualAccess(access(server, { clientCertificate: old }));
    const transport = harness().connect(source, { metrics });
    const watch = await transport.stream({ method: 'GET', path: '/watch' });
    const underWay = transport.request({ method: 'GET', path: '/held' });
    await transport.request(get);
    const changed = firstValueFrom(transport.accessChanged);
    source.change(access(server, { clientCertificate: next }));
    await changed;
    expect((await transport.request(get)).status).toBe(200);
    expect(server.seen.at(-1)).toMatchObject({ user: 'next', connection: 2 });
    held.resolve();
    expect((await underWay).status).toBe(200);
    const chunks = watch.chunks[Symbol.asyncIterator]();
    expect((await chunks.next()).value).toBe('x');
    expect(server.sockets.size).toBe(2);
    watch.close();
    await expect.poll(() => server.sockets.size).toBe(1);
    expect(metrics.expiries).toHaveLength(2);
  });

  it('reports when it ends, and nothing about it stays after a change to a token or the end of the client', async () => {
    const notAfter = new Date(Math.floor(Date.now() / 1000) * 1000 + 3_600_000);
    const clientCertificate = await harness().authority.issue({ notAfter });
    await using server = await start(() => ({}));
    const metrics = recordingMetrics();
    const source = new ManualAccess(access(server, { clientCertificate }));
    const transport = harness().connect(source, { metrics });
    await transport.request(get);
    expect(metrics.expiries).toEqual([notAfter.getTime() / 1000]);
    source.change(access(server, { authorization: 'Bearer t' }));
    await transport.request(get);
    expect(metrics.forgotten).toEqual([{ origin: 'spec' }]);
    source.change(access(server, { clientCertificate }));
    await transport.request(get);
    await transport.close();
    expect(metrics.forgotten.slice(1)).toEqual([{ origin: 'spec' }, { host: `127.0.0.1:${server.port}` }]);
  });
});

describe('a client that is closed while new credentials are tried', () => {
  it('neither takes them nor tries again', async () => {
    const asked = Promise.withResolvers<void>();
    await using server = await start(({ path }) => {
      if (path !== '/version') return {};
      asked.resolve();
      return new Promise(() => undefined);
    });
    const clock = new FakeClock();
    const log = recordingLogger();
    const source = new ManualAccess(access(server, { authorization: 'Bearer one' }));
    const transport = harness().connect(source, { clock, log });
    await transport.request(get);
    source.change(access(server, { authorization: 'Bearer two' }));
    await asked.promise;
    await transport.close();
    await expect.poll(() => clock.pending).toBe(0);
    expect(log.warnings).toEqual([]);
    expect(source.changes.observed).toBe(false);
    expect(source.errors.observed).toBe(false);
  });
});

describe('a new CA', () => {
  it('that was trusted ahead serves on when the server changes its certificate', async () => {
    const second = await createAuthority('second');
    await using server = await start(() => ({}));
    const { ca } = harness().authority;
    const source = new ManualAccess(access(server));
    const transport = harness().connect(source);
    await transport.request(get);
    source.change(access(server, { ca: ca + second.ca }));
    await transport.request(get);
    server.present(await second.issue());
    server.dropConnections();
    expect((await transport.request(get)).status).toBe(200);
    source.change(access(server, { ca: second.ca }));
    expect((await transport.request(get)).status).toBe(200);
  });

  it('that is wrong does not replace one that works', async () => {
    const wrong = await createAuthority('wrong');
    await using server = await start(() => ({}));
    const log = recordingLogger();
    const source = new ManualAccess(access(server));
    const transport = harness().connect(source, { log });
    await transport.request(get);
    source.change(access(server, { ca: wrong.ca }));
    expect((await transport.request(get)).status).toBe(200);
    expect(log.warnings[0]?.fields.error).toMatch(/^Tls: /);
  });

  it('that arrives with the failure is read again, and the request goes on', async () => {
    const second = await createAuthority('second');
    await using server = await start(() => ({}));
    const source = new ManualAccess(access(server));
    source.afterInvalidate = access(server, { ca: second.ca });
    const transport = harness().connect(source);
    await transport.request(get);
    server.present(await second.issue());
    server.dropConnections();
    expect((await transport.request(get)).status).toBe(200);
  });
});

describe('a new server', () => {
  it('takes the requests that come after', async () => {
    await using before = await start(() => ({ body: 'before' }));
    await using after = await start(() => ({ body: 'after' }));
    const source = new ManualAccess(access(before));
    const transport = harness().connect(source);
    expect((await transport.request(get)).body).toBe('before');
    source.change(access(after));
    expect((await transport.request(get)).body).toBe('after');
    await expect.poll(() => before.sockets.size).toBe(0);
  });

  it('that is not up does not replace the old one until it is', async () => {
    let isUp = false;
    await using before = await start(() => ({ body: 'before' }));
    await using after = await start(() => (isUp ? { body: 'after' } : { status: 503 }));
    const clock = new FakeClock();
    const source = new ManualAccess(access(before));
    const transport = harness().connect(source, { clock });
    await transport.request(get);
    source.change(access(after));
    expect((await transport.request(get)).body).toBe('before');
    isUp = true;
    const changed = firstValueFrom(transport.accessChanged);
    await clock.advance(5_000);
    await changed;
    expect((await transport.request(get)).body).toBe('after');
  });

  it('that cannot be reached delays requests by two seconds at most, and the old one serves them', async () => {
    await using server = await start(() => ({}));
    const clock = new FakeClock();
    const source = new ManualAccess(access(server));
    const transport = harness().connect(source, { clock });
    await transport.request(get);
    // Accepts connections and never says a word.
    await using silent = await SpecServer.start({ handler: () => new Promise(() => undefined) });
    source.change({ ...access(server), server: `https://127.0.0.1:${silent.port}` });
    const request = transport.request(get);
    await clock.advance(2_000);
    expect((await request).status).toBe(200);
  });
});

describe('credentials that end', () => {
  it('are asked for anew when their time comes', async () => {
    await using server = await start(() => ({}));
    const clock = new FakeClock();
    const one = access(server, { authorization: 'Bearer one', expiresAt: clock.now() + 60_000 });
    const source = new ManualAccess(one);
    const transport = harness().connect(source, { clock });
    await transport.request(get);
    source.replaceSilently(access(server, { authorization: 'Bearer two' }));
    await transport.request(get);
    expect(server.seen.at(-1)?.headers.authorization).toBe('Bearer one');
    await clock.advance(60_000);
    await transport.request(get);
    expect(server.seen.at(-1)?.headers.authorization).toBe('Bearer two');
  });

  it('are asked for anew after as long, also when the clock is set back meanwhile', async () => {
    await using server = await start(() => ({}));
    const clock = new FakeClock();
    const source = new ManualAccess(access(server, { authorization: 'Bearer one', expiresAt: clock.now() + 60_000 }));
    const transport = harness().connect(source, { clock });
    await transport.request(get);
    source.replaceSilently(access(server, { authorization: 'Bearer two' }));
    clock.jump(-3_600_000);
    await clock.advance(60_000);
    await transport.request(get);
    expect(server.seen.at(-1)?.headers.authorization).toBe('Bearer two');
  });

  it.each([
    ['fails', () => Promise.reject(new Error('not now'))],
    ['gives the same ones', undefined],
  ])('are asked for anew soon when that %s, also when the clock was set back', async (_, answer) => {
    await using server = await start(() => ({}));
    const clock = new FakeClock();
    const source = new ManualAccess(access(server, { authorization: 'Bearer one', expiresAt: clock.now() + 60_000 }));
    const transport = harness().connect(source, { clock });
    await transport.request(get);
    clock.jump(-3_600_000);
    await clock.advance(60_000);
    const current = vi.spyOn(source, 'current');
    if (answer) current.mockImplementationOnce(answer);
    await transport.request(get);
    expect(current).toHaveBeenCalledTimes(1);
    source.replaceSilently(access(server, { authorization: 'Bearer two' }));
    await clock.advance(5_000);
    await transport.request(get);
    expect(server.seen.at(-1)?.headers.authorization).toBe('Bearer two');
  });
});
