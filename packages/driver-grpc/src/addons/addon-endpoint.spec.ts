import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import { createServer } from 'node:net';
import type { ForwardHead } from '@flotilla/cloudevents';
import { KubeError, realClock, silentLogger } from '@flotilla/kube';
import { createAuthority, issueCertificate, type KeyPair } from '@flotilla/kube/pki';
import { afterEach, describe, expect, it } from 'vitest';
import { memorySecret } from '../fixtures/memory-secret.ts';
import { type AddonEndpoint, createAddonEndpoint } from './addon-endpoint.ts';
import { endpointAddress } from './endpoint-address.ts';
import type { ForwardToHub } from './endpoint-server.ts';

const dayMs = 86_400_000;
const loopback = endpointAddress({ addonEndpointListen: '127.0.0.1:0', addonEndpointAddress: '' });
const endpoints: AddonEndpoint[] = [];
afterEach(async () => {
  await Promise.all(endpoints.splice(0).map((endpoint) => endpoint.close()));
});

const text = async function* (value: string) {
  yield Buffer.from(value);
};
const ok: ForwardToHub = async () => ({ status: 200, headers: [], body: text('{}') });

async function start(forward: ForwardToHub = ok, secret = memorySecret(), address = loopback) {
  const endpoint = createAddonEndpoint({
    clusterName: 'c1',
    address,
    secret,
    forward,
    clock: realClock,
    log: silentLogger,
  });
  endpoints.push(endpoint);
  const end = new AbortController();
  endpoint.register('a', end.signal);
  const listening = await endpoint.listen();
  const pair = await listening.issue('a', dayMs);
  const send = (options: RequestOptions & { readonly body?: string; readonly as?: KeyPair | undefined } = {}) =>
    sendTo(listening.endpoint.server, listening.authority, { as: pair, ...options });
  return { endpoint, listening, secret, pair, send, unregister: () => end.abort() };
}

async function sendTo(
  server: string,
  ca: string,
  { body, as, ...options }: RequestOptions & { readonly body?: string; readonly as?: KeyPair | undefined },
): Promise<IncomingMessage> {
  const outgoing = request(server, { ca, agent: false, ...(as && { cert: as.certificate, key: as.key }), ...options });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return response;
}

async function textOf(response: IncomingMessage): Promise<string> {
  let all = '';
  for await (const chunk of response.setEncoding('utf8')) all += chunk;
  return all;
}
const statusOf = async (response: IncomingMessage) => JSON.parse(await textOf(response));

describe('the endpoint of add-ons', () => {
  it('forwards requests with their head and body, and answers with what the hub says', async () => {
    const heads: ForwardHead[] = [];
    const { send } = await start(async (head, { body }) => {
      heads.push(head);
      const headers = [
        ['content-type', 'application/json'],
        ['warning', 'one'],
        ['warning', 'two'],
      ] as const;
      return { status: 201, headers, body: body ?? text('') };
    });
    const response = await send({ method: 'POST', path: '/api/v1/x?y=z', body: '{"a":1}', headers: { 'X-Y': 'z' } });
    expect(response.statusCode).toBe(201);
    expect(response.headersDistinct.warning).toEqual(['one', 'two']);
    expect(await textOf(response)).toBe('{"a":1}');
    expect(heads).toMatchObject([{ clusterName: 'c1', addOnName: 'a', method: 'POST', path: '/api/v1/x?y=z' }]);
    expect(heads[0]?.headers).toContainEqual(['X-Y', 'z']);
  });

  it('knows each add-on by its certificate, whatever the request says', async () => {
    const names: string[] = [];
    const { endpoint, listening, send } = await start(async (head) => {
      names.push(head.addOnName);
      return ok(head, {});
    });
    endpoint.register('b', new AbortController().signal);
    await send({ as: await listening.issue('b', dayMs), headers: { 'x-add-on': 'a' } });
    await send();
    expect(names).toEqual(['b', 'a']);
  });

  it.each<[string, (world: Awaited<ReturnType<typeof start>>) => Promise<KeyPair | undefined>]>([
    ['without a certificate', async () => undefined],
    [
      'with one of another authority',
      async () => issueCertificate(await createAuthority('x', realClock), { usage: 'client', name: 'a' }, realClock),
    ],
    ['with one that has ended', ({ listening }) => listening.issue('a', -1000)],
    ['of an add-on that is not registered', ({ listening }) => listening.issue('b', dayMs)],
    [
      'of an add-on that is registered no more',
      async ({ pair, unregister }) => {
        unregister();
        return pair;
      },
    ],
  ])('refuses a request %s', async (_, credentials) => {
    const world = await start(() => Promise.reject(new Error('it was forwarded')));
    const response = await world.send({ as: await credentials(world) });
    expect(response.statusCode).toBe(401);
    expect(await statusOf(response)).toMatchObject({ kind: 'Status', reason: 'Unauthorized' });
  });

  it('sends the head of a watch at once, ends it for the hub when the add-on leaves, and for the add-on when it is removed', async () => {
    const signals: AbortSignal[] = [];
    const { send, unregister } = await start(async (_, { signal }) => {
      if (signal) signals.push(signal);
      const body = (async function* () {
        await new Promise((resolve) => signal?.addEventListener('abort', resolve));
        yield Buffer.from('');
      })();
      return { status: 200, headers: [], body };
    });
    const [left, removed] = [await send(), await send()];
    left.destroy();
    await expect.poll(() => signals[0]?.aborted).toBe(true);
    expect(signals[1]?.aborted).toBe(false);
    unregister();
    await expect(textOf(removed)).rejects.toThrow('aborted');
    expect(removed.complete).toBe(false);
    await expect.poll(() => signals[1]?.aborted).toBe(true);
  });

  it.each<[string, KubeError, number, string]>([
    ['the hub refuses', new KubeError('Forbidden', 'no', { status: 403 }), 403, 'Forbidden'],
    ['there are too many', new KubeError('TooManyRequests', 'no', { status: 429 }), 429, 'TooManyRequests'],
    ['the hub is away', new KubeError('Unavailable', 'away'), 503, 'ServiceUnavailable'],
    ['the agent itself is refused', new KubeError('Unauthorized', 'who', { status: 401 }), 503, 'ServiceUnavailable'],
  ])('answers with a status when %s', async (_, error, code, reason) => {
    const { send } = await start(() => Promise.reject(error));
    const response = await send();
    expect(response.statusCode).toBe(code);
    expect(await statusOf(response)).toMatchObject({ kind: 'Status', status: 'Failure', reason, code });
  });

  it('breaks an answer that breaks on its way, so that it is not taken for a whole one', async () => {
    const { send } = await start(async () => ({
      status: 200,
      headers: [],
      body: (async function* () {
        yield Buffer.from('half');
        throw new KubeError('Unavailable', 'lost');
      })(),
    }));
    await expect(textOf(await send())).rejects.toThrow('aborted');
  });

  it('is where it was, and as trusted, after a restart of the agent', async () => {
    const first = await start();
    await first.endpoint.close();
    const second = await start(ok, first.secret);
    expect(second.listening.endpoint).toEqual(first.listening.endpoint);
    expect((await second.send({ as: first.pair })).statusCode).toBe(200);
  });

  it('serves the network of pods under the name of a Service, by the same certificates', async () => {
    const address = endpointAddress({
      addonEndpointListen: '0.0.0.0:0',
      addonEndpointAddress: 'agent.ns.svc:9443',
    });
    const { listening, pair, secret } = await start(ok, memorySecret(), address);
    expect(listening.endpoint.server).toBe('https://agent.ns.svc:9443');
    const here = `https://127.0.0.1:${secret.values.port}`;
    const asService = { servername: 'agent.ns.svc', as: pair };
    expect((await sendTo(here, listening.authority, asService)).statusCode).toBe(200);
    expect((await sendTo(here, listening.authority, { ...asService, as: undefined })).statusCode).toBe(401);
    await expect(sendTo(here, listening.authority, { as: pair })).rejects.toThrow('IP: 127.0.0.1');
  });

  it('carries many requests on one connection', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const { send } = await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let i = 0; i < 20; i += 1) await textOf(await send({ agent }));
    await new Promise(setImmediate);
    process.off('warning', onWarning);
    agent.destroy();
    expect(warnings).toEqual([]);
  });

  it('is elsewhere if another process has its port', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const secret = memorySecret();
    await secret.write({ port: String(port) });
    const { listening, send } = await start(ok, secret);
    expect(listening.endpoint.server).not.toContain(`:${port}`);
    expect(secret.values.port).toBe(new URL(listening.endpoint.server).port);
    expect((await send()).statusCode).toBe(200);
    const wanted = endpointAddress({ addonEndpointListen: `127.0.0.1:${port}`, addonEndpointAddress: '' });
    await expect(start(ok, memorySecret(), wanted)).rejects.toThrow('cannot listen for add-ons');
    taken.close();
  });
});
