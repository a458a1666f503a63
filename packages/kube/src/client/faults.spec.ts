import { createServer as createTcp } from 'node:net';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { openBody, SpecServer } from './fixtures/api-server.ts';
import { failure, useHarness } from './fixtures/harness.ts';
import { startRelay } from './fixtures/network.ts';
import { createAuthority } from './fixtures/pki.ts';
import { recordingMetrics } from './fixtures/recorders.ts';

const harness = useHarness();
const get = { method: 'GET', path: '/api' } as const;

describe('a connection that is black-holed', () => {
  it('is noticed within 30 seconds; its watch ends with an error and its request is sent again', async () => {
    const asked = Promise.withResolvers<void>();
    await using server = await SpecServer.start({
      tls: harness().tls,
      handler: ({ path }) => {
        if (path === '/watch') return { stream: openBody(), body: 'x' };
        asked.resolve();
        return server.connections === 1 ? new Promise(() => undefined) : { body: 'second' };
      },
    });
    await using relay = await startRelay(server.port);
    const clock = new FakeClock();
    const transport = harness().connect(
      server.access({ server: `https://127.0.0.1:${relay.port}`, ca: harness().authority.ca }),
      { clock, deadlineMs: 120_000 },
    );
    const watch = await transport.stream({ method: 'GET', path: '/watch' });
    const chunks = watch.chunks[Symbol.asyncIterator]();
    await chunks.next();
    const request = transport.request(get);
    await asked.promise;
    relay.blackHole();
    const lost = failure(chunks.next());
    await clock.advance(20_000);
    expect(await lost).toMatchObject({ code: 'Unavailable', retryable: true });
    relay.heal();
    await clock.advance(1_000);
    expect((await request).body).toBe('second');
  });

  it('stays open while the server answers pings', async () => {
    await using server = await SpecServer.start({ tls: harness().tls, handler: () => ({}) });
    const clock = new FakeClock();
    const transport = harness().connect(server.access({ ca: harness().authority.ca }), { clock });
    await transport.request(get);
    for (let i = 0; i < 12; i++) {
      await clock.advance(5_000);
      // The answer comes over a real socket.
      await transport.request(get);
    }
    expect(server.connections).toBe(1);
  });
});

describe('a server that goes away', () => {
  it('and asks to leave the session gets the next request on a new one, and none fails', async () => {
    await using server = await SpecServer.start({ tls: harness().tls, handler: () => ({}) });
    const transport = harness().connect(server.access({ ca: harness().authority.ca }));
    for (let round = 1; round <= 3; round++) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => {
          if (i === 10) server.goAway();
          return transport.request({ method: 'POST', path: `/${i}`, body: '{}' });
        }),
      );
      expect(answers.every(({ status }) => status === 200)).toBe(true);
    }
    expect(server.connections).toBeGreaterThan(1);
  });

  it('and comes back is waited for, also by requests that are not repeated, because nothing was sent', async () => {
    const first = await SpecServer.start({ tls: harness().tls, handler: () => ({}) });
    const access = first.access({ ca: harness().authority.ca });
    await first[Symbol.asyncDispose]();
    const metrics = recordingMetrics();
    const clock = new FakeClock();
    const transport = harness().connect(access, { metrics, clock });
    const request = transport.request({ method: 'POST', path: '/', body: '{}' });
    await expect.poll(() => metrics.retries).toEqual(['POST connection']);
    const port = Number(new URL(access.server).port);
    await using _second = await SpecServer.start({ tls: harness().tls, handler: () => ({ body: 'back' }) }, port);
    await clock.advance(1_000);
    expect((await request).body).toBe('back');
  });

  it('and comes back with HTTP/2 instead of HTTP/1.1 is understood, and its watches are monitored', async () => {
    const { tls } = harness();
    const first = await SpecServer.start({ tls, protocol: 'http/1.1', handler: () => ({}) });
    const { port } = first;
    const transport = harness().connect(first.access({ ca: harness().authority.ca }));
    await transport.request(get);
    await first[Symbol.asyncDispose]();
    await using second = await SpecServer.start({ tls, handler: () => ({ stream: openBody(), body: 'x' }) }, port);
    const watches = await Promise.all([1, 2, 3].map(() => transport.stream({ method: 'GET', path: '/watch' })));
    expect(watches.every(({ monitored }) => monitored)).toBe(true);
    expect(second.seen.every(({ httpVersion }) => httpVersion === '2.0')).toBe(true);
  });

  it('and stays away fails the request with the reason', async () => {
    const server = await SpecServer.start({ tls: harness().tls, handler: () => ({}) });
    const access = server.access({ ca: harness().authority.ca });
    await server[Symbol.asyncDispose]();
    const transport = harness().connect(access, { retry: { maxRetries: 1, baseDelayMs: 1 } });
    const error = await failure(transport.request(get));
    expect(error).toMatchObject({ code: 'Unavailable', retryable: true });
    expect(error.message).toContain('ECONNREFUSED');
  });
});

describe('a server that is overloaded', () => {
  it('is left alone for as long as it asks', async () => {
    const clock = new FakeClock();
    let answers = 0;
    await using server = await SpecServer.start({
      tls: harness().tls,
      handler: () => (++answers === 1 ? { status: 429, headers: { 'retry-after': '3' } } : {}),
    });
    const metrics = recordingMetrics();
    const transport = harness().connect(server.access({ ca: harness().authority.ca }), {
      clock,
      metrics,
      random: () => 0,
    });
    const request = transport.request({ method: 'POST', path: '/', body: '{}' });
    await expect.poll(() => metrics.retries).toEqual(['POST throttled']);
    await clock.advance(2_999);
    expect(answers).toBe(1);
    await clock.advance(1);
    expect((await request).status).toBe(200);
  });

  it('and asks for more time than the caller has is reported at once', async () => {
    await using server = await SpecServer.start({
      tls: harness().tls,
      handler: () => ({ status: 503, headers: { 'retry-after': '60' } }),
    });
    const transport = harness().connect(server.access({ ca: harness().authority.ca }));
    expect(await failure(transport.request(get))).toMatchObject({
      code: 'Unavailable',
      status: 503,
      retryAfterMs: 60_000,
    });
  });
});

describe('a server with few streams', () => {
  it('gets further sessions for more watches than one may have', async () => {
    await using server = await SpecServer.start({
      tls: harness().tls,
      maxStreams: 3,
      handler: ({ path }) => (path === '/watch' ? { stream: openBody() } : {}),
    });
    const transport = harness().connect(server.access({ ca: harness().authority.ca }));
    await transport.request(get);
    for (let i = 0; i < 7; i++) await transport.stream({ method: 'GET', path: '/watch' });
    expect((await transport.request(get)).status).toBe(200);
    expect(server.connections).toBe(3);
  });
});

describe('a TLS failure', () => {
  it('says which CA does not fit', async () => {
    const wrong = await createAuthority('wrong');
    await using server = await SpecServer.start({ tls: harness().tls, handler: () => ({}) });
    const error = await failure(
      harness()
        .connect(server.access({ ca: wrong.ca }))
        .request(get),
    );
    expect(error.code).toBe('Tls');
    expect(error.hint).toContain('is not signed by the CA of spec');
  });

  it('names the host that does not match, and a server name fixes it', async () => {
    const tls = await harness().authority.issue({ names: ['api.internal'] });
    await using server = await SpecServer.start({ tls, handler: () => ({}) });
    const { ca } = harness().authority;
    const error = await failure(harness().connect(server.access({ ca })).request(get));
    expect(error.hint).toContain('is not for 127.0.0.1: use an address it names, or set tls-server-name in spec');
    const transport = harness().connect(server.access({ ca, tlsServerName: 'api.internal' }));
    expect((await transport.request(get)).status).toBe(200);
  });

  it('names flags where the access is from flags, which have no kubeconfig to change', async () => {
    const tls = await harness().authority.issue({ names: ['api.internal'] });
    await using server = await SpecServer.start({ tls, handler: () => ({}) });
    const [wrong, right] = [await createAuthority('wrong'), harness().authority];
    const hintOf = async (ca: string) => {
      const access = server.access({ ca, origin: '--hub-apiserver' });
      return (await failure(harness().connect(access).request(get))).hint;
    };
    expect(await hintOf(right.ca)).toBe('The certificate of the server is not for 127.0.0.1: use an address it names.');
    expect(await hintOf(wrong.ca)).toMatch(
      /: give the CA of the server with the flags that come with --hub-apiserver\.$/,
    );
  });

  it('says that a certificate has expired', async () => {
    const tls = await harness().authority.issue({ notAfter: new Date(Date.now() - 1_000) });
    await using server = await SpecServer.start({ tls, handler: () => ({}) });
    const error = await failure(
      harness()
        .connect(server.access({ ca: harness().authority.ca }))
        .request(get),
    );
    expect(error.hint).toContain('renew it, and check the clocks');
  });

  it('says that the server speaks no TLS', async () => {
    await using server = await SpecServer.start({ handler: () => ({}) });
    const error = await failure(
      harness()
        .connect({ server: `https://127.0.0.1:${server.port}`, origin: 'spec' })
        .request(get),
    );
    expect(error).toMatchObject({ code: 'Tls', hint: expect.stringContaining('does not speak TLS there') });
  });

  it('says that the client certificate cannot be parsed', async () => {
    await using server = await SpecServer.start({ tls: harness().tls, handler: () => ({}) });
    const clientCertificate = { certificate: 'x', key: 'y' };
    expect(await failure(harness().connect(server.access({ clientCertificate })).request(get))).toMatchObject({
      code: 'Config',
      message: expect.stringContaining('client certificate or key of spec cannot be used'),
    });
  });
});

describe('a deadline', () => {
  it('that passes before there is a connection says so', async () => {
    // Accepts TCP and then says nothing, so TLS never starts.
    const silent = createTcp();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const clock = new FakeClock();
    const transport = harness().connect({ server: `https://127.0.0.1:${port}`, origin: 'spec' }, { clock });
    const request = failure(transport.request({ ...get, deadlineMs: 4_000 }));
    await clock.advance(4_000);
    expect((await request).message).toContain('it was waiting for a connection');
    await transport.close();
    silent.close();
  });
});

describe('a closed transport', () => {
  it('ends what is under way, and takes nothing new', async () => {
    await using server = await SpecServer.start({
      tls: harness().tls,
      handler: ({ path }) => (path === '/watch' ? { stream: openBody(), body: 'x' } : new Promise(() => undefined)),
    });
    const clock = new FakeClock();
    const transport = harness().connect(server.access({ ca: harness().authority.ca }), { clock });
    const watch = await transport.stream({ method: 'GET', path: '/watch' });
    const chunks = watch.chunks[Symbol.asyncIterator]();
    await chunks.next();
    const ends = [failure(transport.request(get)), failure(chunks.next())];
    await transport.close();
    for (const error of await Promise.all(ends)) expect(error.code).toBe('Canceled');
    expect(await failure(transport.request(get))).toMatchObject({ code: 'Canceled' });
    await expect.poll(() => server.sockets.size).toBe(0);
    expect(clock.pending).toBe(0);
  });
});
