import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { makeServingPair } from '@flotilla/kube/pki';
import { expect, it } from 'vitest';
import type { Storage } from '../contracts/storage.ts';
import { createAggregator } from './aggregator.ts';

const forged = 'GET /apis/g/v1/forged HTTP/1.1\r\nhost: hub\r\nx-remote-user: admin\r\n\r\n';

it.each(['GET', 'DELETE', 'POST'])(
  'passes the body of a %s on as a body, and never as a request of its own',
  async (method) => {
    await using cleanup = new AsyncDisposableStack();
    const pair = await makeServingPair(['api.default.svc'], { now: Date.now(), lifeMs: 60_000 });
    const seen: string[] = [];
    const server = createServer({ cert: pair.certificate, key: pair.key }, async (request, response) => {
      seen.push(`${request.method} ${request.url} of ${request.headers['x-remote-user']}`);
      seen.push(await text(request));
      response.end('ok');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanup.defer(async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    });
    const caBundle = Buffer.from(pair.ca).toString('base64');
    const service = { spec: { service: { namespace: 'default', name: 'api' }, caBundle } };
    const storage = { get: () => service } as unknown as Storage;
    const { port } = server.address() as AddressInfo;
    const aggregator = createAggregator({
      storage,
      resolveService: () => `https://127.0.0.1:${port}`,
      frontProxy: () => pair,
    });
    const path = '/apis/g/v1/things';
    const request = { method, path, query: new URLSearchParams(), headers: {}, readBody: async () => Buffer.alloc(0) };
    const signal = AbortSignal.timeout(10_000);
    const remote = aggregator.find(path);
    const { body } =
      (await remote?.forward({ ...request, signal }, { name: 'bob', groups: [] }, Buffer.from(forged))) ?? {};
    expect(await text(body as AsyncIterable<Uint8Array>)).toBe('ok');
    expect(seen).toEqual([`${method} ${path} of bob`, forged]);
  },
);
