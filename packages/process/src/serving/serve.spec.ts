import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { type Clock, realClock, silentLogger } from '@flotilla/kube';
import { createAuthority } from '@flotilla/kube/pki';
import { FakeClock } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
import { serverLimits } from './limits.ts';
import type { Route } from './route.ts';
import { serve } from './serve.ts';
import { followServingCertificate, readServingCertificate } from './serving-certificate.ts';

const address = { host: '127.0.0.1', port: 0 };
const hello: Route = { path: '/hello', handle: () => ({ status: 200, body: 'hello\n' }) };

describe('the server', () => {
  it('answers its routes, and nothing else', async () => {
    await using server = await serve({ address, routes: [hello] });
    const response = await fetch(`${server.url}/hello`);
    expect([response.status, await response.text()]).toEqual([200, 'hello\n']);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const missing = await fetch(`${server.url}/other`);
    expect([missing.status, await missing.text()]).toEqual([404, 'there is nothing at /other; known: /hello\n']);
    expect((await fetch(`${server.url}/hello/below`)).status).toBe(404);
    expect((await fetch(`${server.url}/hello`, { method: 'POST' })).status).toBe(405);
    expect((await fetch(`${server.url}/hello`, { method: 'HEAD' })).status).toBe(200);
  });

  it('says which address it cannot have', async () => {
    await using server = await serve({ address, routes: [] });
    const port = Number(new URL(server.url).port);
    await expect(serve({ address: { host: '127.0.0.1', port }, routes: [] })).rejects.toThrow(
      new RegExp(`^Config: cannot listen at 127.0.0.1:${port}: .*EADDRINUSE`),
    );
  });

  it('closes a connection soon after the time in which the head of a request must arrive', async () => {
    await using server = await serve({ address, routes: [hello] });
    const socket = connectTcp(Number(new URL(server.url).port), '127.0.0.1');
    const started = performance.now();
    socket.write('GET /hello HTTP/1.1\r\n');
    socket.resume();
    await once(socket, 'close');
    expect(performance.now() - started).toBeLessThan(serverLimits.headersTimeoutMs + 3000);
  }, 40_000);

  it('answers a request whose route fails without the reason, and serves the next', async () => {
    const broken: Route = { path: '/broken', handle: () => Promise.reject(new Error('bug')) };
    await using server = await serve({ address, routes: [broken, hello] });
    const response = await fetch(`${server.url}/broken`);
    expect([response.status, await response.text()]).toEqual([500, 'cannot answer; the log says why\n']);
    expect((await fetch(`${server.url}/hello`)).status).toBe(200);
  });

  it('goes on answering when it retires, and asks its clients to connect anew', async () => {
    await using server = await serve({ address, routes: [hello] });
    expect((await fetch(`${server.url}/hello`)).headers.get('connection')).toBe('keep-alive');
    server.retire();
    const response = await fetch(`${server.url}/hello`);
    expect([response.status, response.headers.get('connection')]).toEqual([200, 'close']);
  });

  it('lets requests in progress end before it closes', async () => {
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const { promise: go, resolve: finish } = Promise.withResolvers<void>();
    const slow: Route = {
      path: '/slow',
      async handle() {
        start();
        await go;
        return { status: 200, body: 'late' };
      },
    };
    const server = await serve({ address, routes: [slow], clock: new FakeClock() });
    const answer = fetch(`${server.url}/slow`);
    await started;
    const closed = server.close();
    finish();
    expect(await (await answer).text()).toBe('late');
    await closed;
    await expect(fetch(`${server.url}/slow`)).rejects.toThrow();
  });

  it('cuts off what has not ended by the deadline of the close', async () => {
    const clock = new FakeClock();
    const { promise: started, resolve: start } = Promise.withResolvers<AbortSignal>();
    const stuck: Route = {
      path: '/stuck',
      handle({ signal }) {
        start(signal);
        return new Promise(() => {});
      },
    };
    const server = await serve({ address, routes: [stuck], clock });
    const answer = fetch(`${server.url}/stuck`).catch(() => 'cut off');
    const signal = await started;
    const closed = server.close(3000);
    await clock.advance(3000);
    expect(await answer).toBe('cut off');
    await closed;
    expect(signal.aborted).toBe(true);
  });
});

describe('the server with TLS', () => {
  /** The certificate that a new connection is served with. */
  const servedCommonName = (url: string) =>
    new Promise<string | undefined>((resolve, reject) => {
      const { port } = new URL(url);
      const socket = connect({ host: '127.0.0.1', port: Number(port), rejectUnauthorized: false }, () => {
        const { CN } = socket.getPeerCertificate().subject;
        resolve(Array.isArray(CN) ? CN[0] : CN);
        socket.destroy();
      });
      socket.on('error', reject);
    });

  async function files() {
    const directory = await mkdtemp(join(tmpdir(), 'flotilla-serving-'));
    const tls = { certFile: join(directory, 'tls.crt'), keyFile: join(directory, 'tls.key') };
    const write = async (name: string) => {
      const { certificate, key } = await createAuthority(name, realClock);
      await writeFile(tls.certFile, certificate);
      await writeFile(tls.keyFile, key, { mode: 0o600 });
    };
    return { tls, write, [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) };
  }

  it('serves a new certificate without a restart, and keeps the old one while the new one is broken', async () => {
    await using pair = await files();
    await pair.write('first');
    // Nothing is read again by the hour: the changes of the files must be noticed.
    const clock: Clock = {
      ...realClock,
      schedule: (ms, call) => (ms < 1000 ? realClock.schedule(ms, call) : () => {}),
    };
    const current = await readServingCertificate(pair.tls);
    await using server = await serve({ address, routes: [hello], tls: current });
    expect(server.url).toMatch(/^https:/);
    expect(await servedCommonName(server.url)).toBe('first');

    const stop = new AbortController();
    let used = Promise.withResolvers<void>();
    let warned = Promise.withResolvers<void>();
    const log = { ...silentLogger, warn: () => warned.resolve() };
    const following = followServingCertificate({ tls: pair.tls, current, clock, log, signal: stop.signal }, (next) => {
      server.useCertificate(next);
      used.resolve();
    });
    await pair.write('second');
    await used.promise;
    expect(await servedCommonName(server.url)).toBe('second');

    used = Promise.withResolvers();
    warned = Promise.withResolvers();
    await writeFile(pair.tls.keyFile, 'broken');
    await warned.promise;
    expect(await servedCommonName(server.url)).toBe('second');
    stop.abort();
    await following;
  });

  it('refuses files and suites that cannot be used, by name', async () => {
    await using pair = await files();
    await expect(readServingCertificate(pair.tls)).rejects.toThrow(/^Config: --tls-cert-file=.*tls.crt: ENOENT/);
    await pair.write('first');
    await expect(readServingCertificate({ ...pair.tls, cipherSuites: ['NOPE'] })).rejects.toThrow(
      /^Config: .*cannot be used to serve TLS: .*no cipher match/,
    );
    await writeFile(pair.tls.certFile, 'broken');
    await expect(readServingCertificate(pair.tls)).rejects.toThrow(/^Config: .*cannot be used to serve TLS/);
    await pair.write('second');
    await writeFile(pair.tls.keyFile, '');
    await expect(readServingCertificate(pair.tls)).rejects.toThrow(/^Config: .*cannot be used to serve TLS/);
  });

  it('serves no older TLS version than asked for, with the suites asked for by their IANA names', async () => {
    await using pair = await files();
    await pair.write('first');
    const tls = await readServingCertificate({
      ...pair.tls,
      minVersion: 'VersionTLS13',
      cipherSuites: ['TLS_AES_128_GCM_SHA256', 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256'],
    });
    expect(tls.minVersion).toBe('TLSv1.3');
    await using server = await serve({ address, routes: [hello], tls });
    expect(await servedCommonName(server.url)).toBe('first');
  });
});
