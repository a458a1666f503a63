import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { openBody, SpecServer } from './fixtures/api-server.ts';
import { failure, useHarness } from './fixtures/harness.ts';
import { recordingLogger, recordingMetrics } from './fixtures/recorders.ts';

const harness = useHarness();

describe.each(['h2', 'http/1.1'] as const)('a transport over %s', (protocol) => {
  it('sends method, path, headers, identity and body, and gives back the answer', async () => {
    await using server = await SpecServer.start({
      tls: harness().tls,
      protocol,
      handler: () => ({ status: 201, body: '{"ok":"é"}' }),
    });
    const metrics = recordingMetrics();
    const transport = harness().connect(
      server.access({ ca: harness().authority.ca, authorization: 'Bearer t', server: `${server.url}/prefix/` }),
      { userAgent: 'spec/1', metrics },
    );
    const response = await transport.request({
      method: 'POST',
      path: '/api/v1/things?x=1',
      body: '{"ü":1}',
      headers: { 'Content-Type': 'application/merge-patch+json' },
    });
    expect(response).toMatchObject({
      status: 201,
      body: '{"ok":"é"}',
      headers: { 'content-type': 'application/json' },
    });
    expect(metrics.requests).toEqual(['POST 201']);
    expect(server.seen).toMatchObject([
      {
        method: 'POST',
        path: '/prefix/api/v1/things?x=1',
        body: '{"ü":1}',
        httpVersion: protocol === 'h2' ? '2.0' : '1.1',
        headers: {
          authorization: 'Bearer t',
          'user-agent': 'spec/1',
          accept: 'application/json',
          'content-type': 'application/merge-patch+json',
        },
      },
    ]);
  });

  it('uses one connection for requests in a row', async () => {
    await using server = await SpecServer.start({ tls: harness().tls, protocol, handler: () => ({}) });
    const transport = harness().connect(server.access({ ca: harness().authority.ca }));
    for (let i = 0; i < 5; i++) await transport.request({ method: 'GET', path: '/' });
    expect(server.connections).toBe(1);
  });

  it('turns an answer other than 2xx into a KubeError', async () => {
    const body = JSON.stringify({ kind: 'Status', reason: 'NotFound', message: 'things "a" not found', code: 404 });
    await using server = await SpecServer.start({
      tls: harness().tls,
      protocol,
      handler: () => ({ status: 404, body }),
    });
    const transport = harness().connect(server.access({ ca: harness().authority.ca }));
    const error = await failure(transport.request({ method: 'GET', path: '/a' }));
    expect(error).toMatchObject({ code: 'NotFound', status: 404 });
    expect(server.seen).toHaveLength(1);
  });

  it('reads a large body whole', async () => {
    const body = JSON.stringify('ä'.repeat(3_000_000));
    await using server = await SpecServer.start({ tls: harness().tls, protocol, handler: () => ({ body }) });
    const transport = harness().connect(server.access({ ca: harness().authority.ca }));
    expect((await transport.request({ method: 'GET', path: '/' })).body === body).toBe(true);
  });

  it('gives the chunks of a stream as they come, with characters across borders whole, and its end', async () => {
    const stream = openBody();
    await using server = await SpecServer.start({ tls: harness().tls, protocol, handler: () => ({ stream }) });
    const transport = harness().connect(server.access({ ca: harness().authority.ca }));
    const watch = await transport.stream({ method: 'GET', path: '/?watch=1' });
    const chunks = watch.chunks[Symbol.asyncIterator]();
    stream.write('one\n');
    expect(await chunks.next()).toEqual({ done: false, value: 'one\n' });
    const umlaut = Buffer.from('ü\n');
    stream.write(umlaut.subarray(0, 1));
    stream.end(umlaut.subarray(1));
    let rest = '';
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) rest += next.value;
    expect(rest).toBe('ü\n');
    expect(watch.monitored).toBe(protocol === 'h2');
  });

  it('throws from a stream whose connection is lost, and does not from one that the reader closed', async () => {
    await using server = await SpecServer.start({
      tls: harness().tls,
      protocol,
      handler: () => ({ stream: openBody(), body: 'x' }),
    });
    const transport = harness().connect(server.access({ ca: harness().authority.ca }));
    const watches = await Promise.all([1, 2].map(() => transport.stream({ method: 'GET', path: '/' })));
    const [kept, closed] = watches.map(async ({ chunks }) => {
      for await (const chunk of chunks) expect(chunk).toBe('x');
    });
    watches[1]?.close();
    await closed;
    server.dropConnections();
    expect(await failure(kept ?? Promise.resolve())).toMatchObject({ code: 'Unavailable', retryable: true });
  });

  it('ends a request and a stream when the caller aborts', async () => {
    await using server = await SpecServer.start({
      tls: harness().tls,
      protocol,
      handler: ({ path }) => (path === '/never' ? new Promise(() => undefined) : { stream: openBody(), body: 'x' }),
    });
    const transport = harness().connect(server.access({ ca: harness().authority.ca }));
    const aborted = AbortSignal.abort();
    expect(await failure(transport.request({ method: 'GET', path: '/never', signal: aborted }))).toMatchObject({
      code: 'Canceled',
    });
    expect(server.seen).toHaveLength(0);
    const { signal, abort } = abortable();
    const watch = await transport.stream({ method: 'GET', path: '/', signal });
    const pending = transport.request({ method: 'GET', path: '/never', signal });
    const read = (async () => {
      for await (const _ of watch.chunks) abort();
    })();
    expect(await failure(pending)).toMatchObject({ code: 'Canceled' });
    expect(await failure(read)).toMatchObject({ code: 'Canceled' });
  });

  it('sends nothing of a request that was aborted before, also where a connection is open', async () => {
    await using server = await SpecServer.start({ tls: harness().tls, protocol, handler: () => ({}) });
    const transport = harness().connect(server.access({ ca: harness().authority.ca }));
    await transport.request({ method: 'GET', path: '/first' });
    const late = { method: 'DELETE', path: '/late', signal: AbortSignal.abort() } as const;
    expect(await failure(transport.request(late))).toMatchObject({ code: 'Canceled' });
    await transport.request({ method: 'GET', path: '/last' });
    expect(server.seen.map(({ path }) => path)).toEqual(['/first', '/last']);
  });

  it('sends again what is safe to repeat after a lost connection, and nothing else', async () => {
    let first = true;
    await using server = await SpecServer.start({
      tls: harness().tls,
      protocol,
      handler: () => {
        if (first) server.dropConnections();
        first = false;
        return {};
      },
    });
    const metrics = recordingMetrics();
    const transport = harness().connect(server.access({ ca: harness().authority.ca }), { metrics });
    expect((await transport.request({ method: 'PUT', path: '/a', body: '{}' })).status).toBe(200);
    expect(metrics.requests).toEqual(['PUT Unavailable', 'PUT 200']);
    expect(metrics.retries).toEqual(['PUT connection']);
    first = true;
    expect(await failure(transport.request({ method: 'POST', path: '/a', body: '{}' }))).toMatchObject({
      code: 'Unavailable',
    });
    first = true;
    expect((await transport.request({ method: 'POST', path: '/a', body: '{}', repeatable: true })).status).toBe(200);
  });
});

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

describe('deadlines', () => {
  it('say that the response was waited for', async () => {
    const asked = Promise.withResolvers<void>();
    await using server = await SpecServer.start({
      tls: harness().tls,
      handler: () => {
        asked.resolve();
        return new Promise(() => undefined);
      },
    });
    const clock = new FakeClock();
    const transport = harness().connect(server.access({ ca: harness().authority.ca }), { clock });
    const request = failure(transport.request({ method: 'GET', path: '/slow?x=1', deadlineMs: 5_000 }));
    await asked.promise;
    await clock.advance(5_000);
    const error = await request;
    expect(error.message).toBe(
      `Timeout: GET /slow of ${server.url} did not finish within 5000 ms: it was waiting for the response`,
    );
    expect(error.retryable).toBe(true);
  });
});

describe('warnings', () => {
  it('name an access that does not verify TLS, once', async () => {
    await using server = await SpecServer.start({ tls: harness().tls, handler: () => ({}) });
    const log = recordingLogger();
    const transport = harness().connect(server.access({ insecureSkipTlsVerify: true }), { log });
    await transport.request({ method: 'GET', path: '/' });
    await transport.request({ method: 'GET', path: '/' });
    expect(log.warnings).toHaveLength(1);
    expect(log.warnings[0]).toMatchObject({ fields: { origin: 'spec' } });
  });
});

describe('compression', () => {
  it('is not asked for on loopback, and understood where it is', async () => {
    const body = JSON.stringify({ items: 'ä'.repeat(1_000) });
    await using server = await SpecServer.start({
      tls: harness().tls,
      handler: ({ headers }) =>
        headers['accept-encoding'] === 'gzip'
          ? { body: gzipSync(body), headers: { 'content-encoding': 'gzip' } }
          : { body },
    });
    const access = server.access({ ca: harness().authority.ca });
    for (const [gzip, asked] of [
      [true, 'gzip'],
      [undefined, undefined],
    ] as const) {
      const transport = harness().connect(access, gzip === undefined ? {} : { gzip });
      expect((await transport.request({ method: 'GET', path: '/' })).body).toBe(body);
      expect(server.seen.at(-1)?.headers['accept-encoding']).toBe(asked);
    }
  });
});

describe('a server without TLS', () => {
  it('is served, and warned about only if it is not on loopback', async () => {
    await using server = await SpecServer.start({ handler: () => ({ body: 'plain' }) });
    const log = recordingLogger();
    const transport = harness().connect(server.access(), { log });
    expect((await transport.request({ method: 'GET', path: '/' })).body).toBe('plain');
    expect(log.warnings).toEqual([]);
    const remote = harness().connect(
      { server: 'http://hub.invalid', origin: 'spec' },
      { log, retry: { maxRetries: 0 } },
    );
    expect(await failure(remote.request({ method: 'GET', path: '/' }))).toMatchObject({ code: 'Unavailable' });
    expect(log.warnings[0]?.message).toContain('without TLS');
  });
});
