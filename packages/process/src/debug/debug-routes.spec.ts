import { request } from 'node:http';
import { FakeClock } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../log/create-logger.ts';
import { serve } from '../serving/serve.ts';
import { debugRoutes } from './debug-routes.ts';

async function debugServer(options: { allowRemote?: boolean } = {}) {
  const clock = new FakeClock();
  const log = await createLogger({ destination: { write() {} }, clock });
  const server = await serve({
    address: { host: '127.0.0.1', port: 0 },
    routes: debugRoutes({ log, clock, ...options }),
  });
  const get = async (path: string, init?: RequestInit) => {
    const response = await fetch(server.url + path, init);
    return { status: response.status, body: await response.text(), file: response.headers.get('content-disposition') };
  };
  return { clock, log, server, get, [Symbol.asyncDispose]: () => server.close() };
}

/** A request that claims another host than the one it is sent to. */
const statusForHost = (url: string, host: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const sent = request(`${url}/debug/heap-stats`, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject);
    sent.end();
  });

describe('the debug endpoints', () => {
  it('record a CPU profile for as long as asked, one at a time', async () => {
    await using debug = await debugServer();
    const first = debug.get('/debug/profile/cpu?seconds=2');
    await expect.poll(() => debug.clock.pending).toBe(1);
    expect((await debug.get('/debug/profile/cpu')).status).toBe(409);
    await debug.clock.advance(2000);
    const { status, body, file } = await first;
    expect(status).toBe(200);
    expect(file).toContain('process.cpuprofile');
    expect(JSON.parse(body)).toMatchObject({ nodes: expect.any(Array), samples: expect.any(Array) });
  });

  it('are free for the next profile after the caller of one hung up', async () => {
    await using debug = await debugServer();
    const caller = new AbortController();
    const gone = debug.get('/debug/profile/cpu?seconds=300', { signal: caller.signal }).catch(() => 'hung up');
    await expect.poll(() => debug.clock.pending).toBe(1);
    caller.abort();
    expect(await gone).toBe('hung up');
    await expect.poll(() => debug.clock.pending).toBe(0);
    const next = debug.get('/debug/profile/cpu?seconds=1');
    await expect.poll(() => debug.clock.pending).toBe(1);
    await debug.clock.advance(1000);
    expect((await next).status).toBe(200);
  });

  it.each(['0', '-1', '301', 'x', 'NaN'])('refuse a profile of %s seconds', async (seconds) => {
    await using debug = await debugServer();
    expect(await debug.get(`/debug/profile/cpu?seconds=${seconds}`)).toMatchObject({
      status: 400,
      body: 'seconds must be a number from 1 to 300\n',
    });
  });

  it('show the sizes of the heap', async () => {
    await using debug = await debugServer();
    const { body } = await debug.get('/debug/heap-stats');
    expect(JSON.parse(body)).toMatchObject({
      heap: { used_heap_size: expect.any(Number) },
      process: { rss: expect.any(Number) },
    });
  });

  it('show and change the level of the log', async () => {
    await using debug = await debugServer();
    expect((await debug.get('/debug/log-level')).body).toBe('info\n');
    expect((await debug.get('/debug/log-level', { method: 'PUT', body: 'debug' })).status).toBe(200);
    expect(debug.log.level).toBe('debug');
    expect(await debug.get('/debug/log-level', { method: 'PUT', body: 'loud' })).toMatchObject({
      status: 400,
      body: 'the level must be one of debug, info, warn, error\n',
    });
    expect(debug.log.level).toBe('debug');
  });

  it('refuse a page that pointed its own name at this host', async () => {
    await using debug = await debugServer();
    expect(await statusForHost(debug.server.url, 'evil.example:80')).toBe(403);
    expect(await statusForHost(debug.server.url, '10.0.0.1')).toBe(403);
    expect(await statusForHost(debug.server.url, 'localhost:8443')).toBe(200);
    expect(await statusForHost(debug.server.url, '[::1]:8443')).toBe(200);
  });

  it('serve other hosts only if allowed', async () => {
    await using debug = await debugServer({ allowRemote: true });
    expect(await statusForHost(debug.server.url, 'hub.example')).toBe(200);
  });
});
