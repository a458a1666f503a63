import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { realClock, staticAccess } from '@flotilla/kube';
import { createRelay } from '@flotilla/kube/transport';
import { afterEach, describe, expect, it } from 'vitest';
import { createLoopbackProxy } from './loopback-proxy.ts';

const portForward = '/api/v1/namespaces/default/pods/web/portforward';
const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = '{"metadata":{"name":"forged"}}';
const upgradeHeaders = { connection: 'Upgrade', upgrade: 'SPDY/3.1' };
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** An API server that echoes what follows an upgrade and refuses one for `/denied`, and the proxy of it. */
async function start() {
  const seen: IncomingMessage[] = [];
  const api = createServer((asked, response) => {
    seen.push(asked);
    response.end('pods\n');
  });
  api.on('upgrade', (asked: IncomingMessage, socket) => {
    seen.push(asked);
    if (asked.url === '/prefix/denied') {
      socket.end('HTTP/1.1 409 Conflict\r\nconnection: close\r\ncontent-length: 3\r\n\r\nno\n');
      return;
    }
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: SPDY/3.1\r\nx-server: api\r\n\r\n',
    );
    socket.pipe(socket);
  });
  const server = `http://127.0.0.1:${await listen(api)}/prefix`;
  const access = staticAccess({ server, authorization: 'Bearer secret', origin: 'the spec' });
  const relay = createRelay({ access, clock: realClock, env: {}, userAgent: 'spec' });
  ends.push(() => relay.close());
  const port = await listen(createLoopbackProxy(relay));
  const ask = (path: string, headers: Record<string, string> = {}, post?: string) => {
    const method = post === undefined ? 'GET' : 'POST';
    const sent = request({ port, host: '127.0.0.1', path, headers, method, agent: false });
    sent.end(post);
    return sent;
  };
  return { seen, ask };
}

const statusOf = async (asked: ReturnType<typeof request>): Promise<number | undefined> => {
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
};

describe('the proxy on this machine', () => {
  it('passes requests on with the credentials of the user, and with none of the caller', async () => {
    const { seen, ask } = await start();
    expect(await statusOf(ask('/api/v1/pods?limit=1', { authorization: 'Bearer forged' }))).toBe(200);
    expect([seen[0]?.url, seen[0]?.headers.authorization]).toEqual(['/prefix/api/v1/pods?limit=1', 'Bearer secret']);
  });

  it('joins the connections of a request for another protocol', async () => {
    const { seen, ask } = await start();
    const [answer, socket] = await once(ask(portForward, upgradeHeaders), 'upgrade');
    expect(answer).toMatchObject({ statusCode: 101, headers: { upgrade: 'SPDY/3.1', 'x-server': 'api' } });
    expect(seen[0]?.headers).toMatchObject({ upgrade: 'SPDY/3.1', authorization: 'Bearer secret' });
    socket.write('ping');
    expect(String((await once(socket, 'data'))[0])).toBe('ping');
    socket.end();
    await once(socket, 'close');
  });

  it('passes on why the server does not switch protocols', async () => {
    const { ask } = await start();
    expect(await statusOf(ask('/denied', upgradeHeaders))).toBe(409);
  });

  it('passes on writes of programs, and of pages of this machine', async () => {
    const { seen, ask } = await start();
    const ownPage: Record<string, string> = { origin: 'http://localhost:8001', 'sec-fetch-site': 'same-origin' };
    for (const headers of [{}, ownPage]) {
      expect(await statusOf(ask(configMaps, headers, configMap))).toBe(200);
    }
    expect(seen.map(({ method, headers }) => [method, headers.origin])).toEqual(Array(2).fill(['POST', undefined]));
  });

  const refusals: Record<string, [path: string, headers: Record<string, string>, post?: string]> = {
    'a write of a page of another site': [configMaps, { origin: 'https://evil.example' }, configMap],
    'a write of a page without a site': [configMaps, { origin: 'null' }, configMap],
    'a write of a page that names a name of this machine in its own': [
      configMaps,
      { origin: 'https://localhost.evil.example' },
      configMap,
    ],
    'a write that a browser says comes from elsewhere': [configMaps, { 'sec-fetch-site': 'cross-site' }, configMap],
    'a read of another port of this machine, of which a browser says so': ['/api', { 'sec-fetch-site': 'same-site' }],
    'a write for a name that was bound to this machine later': [configMaps, { host: 'evil.example:8001' }, configMap],
    'exec by upgrade': ['/api/v1/namespaces/default/pods/web/exec?command=sh', upgradeHeaders],
    'exec by request': ['/api/v1/namespaces/default/pods/web/exec?command=sh', {}],
    'exec that is encoded': ['/api/v1/namespaces/default/pods/web/%65xec', upgradeHeaders],
    'exec that is encoded twice': ['/api/v1/namespaces/default/pods/web%252Fexec', upgradeHeaders],
    'exec with slashes': ['/api/v1/namespaces/default/pods//web//exec/', upgradeHeaders],
    'exec by a kubelet': ['/api/v1/nodes/n/proxy/exec/default/web/main', upgradeHeaders],
    'a path that cannot be decoded': ['/api/v1/namespaces/default/pods/web/%zz', upgradeHeaders],
    'another host name': ['/api', { host: 'evil.example' }],
    'a stream for another host name': [portForward, { ...upgradeHeaders, host: 'evil.example' }],
    'a stream for a page of another site': [portForward, { ...upgradeHeaders, origin: 'https://evil.example' }],
    'a stream for a page without a site': [portForward, { ...upgradeHeaders, origin: 'null' }],
  };
  it.each(Object.entries(refusals))('refuses %s', async (_name, [path, headers, post]) => {
    const { seen, ask } = await start();
    expect(await statusOf(ask(path, headers, post))).toBe(403);
    expect(seen).toEqual([]);
  });
});
