import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { ClusterProxyApi } from '@flotilla/api-types';
import { realClock, staticAccess } from '@flotilla/kube';
import { apiServices, configMaps, leases, services } from '@flotilla/kube/kinds';
import { makeServingPair } from '@flotilla/kube/pki';
import { createTransport } from '@flotilla/kube/transport';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Program } from '../registration/program.ts';
import { deploy, type Server, serverKinds } from '../registration/servers.ts';
import { enabled, grant, type ProxyFleet, startProxyFleet, startProxyServer } from './proxy-fleet.ts';

const patience = { timeout: 60_000, interval: 200 };
const alice = { user: 'alice' };
const clusters = ['csr', 'grpc'];

describe.each(serverKinds)(
  'streams and faults of clusters behind a hub on %s',
  (kind) => {
    let fleet: ProxyFleet;
    let proxy: Program;
    let startAgents: Readonly<Record<string, () => Program>>;
    const agents: Record<string, Program> = {};
    let isWrong = false;
    const cleanup = new AsyncDisposableStack();
    beforeAll(async () => {
      fleet = cleanup.use(await startProxyFleet(await startProxyServer(kind)));
      fleet.startGrpcHub();
      await fleet.startGrpcServer();
      proxy = await fleet.startProxy();
      const [byCsr, byGrpc] = [await fleet.newCluster(), await fleet.newGrpcCluster()];
      for (const { server } of [byCsr, byGrpc]) {
        await deploy(server, 'agent', ['cluster-proxy/rbac.yaml']);
        await grant(server, 'alice', 'cluster-admin', 'alice');
        cleanup.use(await startEcho(server));
      }
      startAgents = {
        csr: () => byCsr.startAgent('csr', { flags: [enabled] }),
        grpc: () => byGrpc.startGrpcAgent('grpc', { flags: [enabled] }),
      };
      for (const name of clusters) agents[name] = (startAgents[name] as () => Program)();
      await Promise.all(clusters.map((name) => fleet.admin.admit(name)));
      await Promise.all(clusters.map((name) => fleet.admin.joined(name)));
      await fleet.permit('alice', clusters);
      await Promise.all(clusters.map(reached));
    }, 200_000);
    afterEach(({ task }) => {
      isWrong ||= task.result?.state === 'fail';
    });
    afterAll(async () => {
      if (isWrong) console.error(fleet?.logs());
      await cleanup.disposeAsync();
    });

    const version = (name: string) =>
      fleet.clientTo(name, alice).transport.request({ method: 'GET', path: '/version', deadlineMs: 10_000 });
    const reached = (name: string) => vi.waitFor(() => version(name), patience);

    it.each(clusters)('passes events of a watch on as they happen, of a cluster by %s', async (name) => {
      const client = fleet.clientTo(name, alice);
      const path = '/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=0';
      const stream = await client.transport.stream({ method: 'GET', path });
      await client.resource(configMaps).create({ metadata: { name: 'seen', namespace: 'default' } });
      let text = '';
      for await (const chunk of stream.chunks) {
        text += chunk;
        if (text.includes('"name":"seen"')) break;
      }
      stream.close();
      expect(text).toContain('"type":"ADDED"');
    });

    it.each(clusters)('carries another protocol in both directions, of a cluster by %s', async (name) => {
      const transport = createTransport({ access: staticAccess(fleet.accessTo(name, alice)) });
      const open = () =>
        transport.upgrade?.({ method: 'POST', path: '/apis/echo.example.com/v1/echo/x/exec', protocol: 'SPDY/3.1' });
      await vi.waitFor(async () => expect(await open()).toMatchObject({ switched: true }), patience);
      const answer = await open();
      if (!answer?.switched) throw new Error('no connection');
      expect(Object.fromEntries(answer.headers)['x-echo-user']).toBe('alice');
      const sent = randomBytes(1024 * 1024);
      answer.socket.write(sent);
      expect((await read(answer.socket, sent.length)).equals(sent)).toBe(true);
      answer.socket.end();
      await once(answer.socket, 'close');
      await transport.close();
    });

    it.each(clusters)(
      'says since when the agent is gone, and reaches the cluster when it is back, by %s',
      async (name) => {
        await agents[name]?.end('SIGKILL');
        await vi.waitFor(
          () => expect(version(name)).rejects.toThrow(/its agent is not connected since \d{4}-/),
          patience,
        );
        const lease = await fleet.hub.client.resource(leases).get(`${name}/${ClusterProxyApi.lease}`);
        expect(lease.spec?.holderIdentity ?? '').toBe('');
        agents[name] = (startAgents[name] as () => Program)();
        await reached(name);
      },
    );

    it('reaches clusters again when the program of the hub is back', async () => {
      await proxy.end('SIGKILL');
      await expect(version('csr')).rejects.toThrow();
      proxy = await fleet.startProxy();
      await Promise.all(clusters.map(reached));
    });

    it('does not delay one cluster by another that hangs', async () => {
      const { transport } = fleet.clientTo('csr', alice);
      const hang = { method: 'GET', path: '/apis/echo.example.com/v1/hang', deadlineMs: 20_000 } as const;
      const hanging = Array.from({ length: 50 }, () => transport.request(hang).catch(() => undefined));
      const started = realClock.monotonic();
      await version('grpc');
      expect(realClock.monotonic() - started).toBeLessThan(10_000);
      await Promise.all(hanging);
    });
  },
  200_000,
);

/** The next bytes. */
async function read(stream: Duplex, length: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    parts.push(part);
    size += part.length;
    if (size >= length) break;
  }
  return Buffer.concat(parts);
}

/** An API of a cluster that sends back what it gets, as a stand-in for the pods of a node. */
async function startEcho({ client }: Server): Promise<AsyncDisposable> {
  const pair = await makeServingPair(['echo.default.svc'], { now: realClock.now(), lifeMs: 3_600_000 });
  const server = createServer({ cert: pair.certificate, key: pair.key });
  server.on('request', (request, response) => {
    if (request.url?.includes('/hang')) return;
    response.setHeader('content-type', 'application/json');
    response.end('{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"echo.example.com/v1","resources":[]}');
  });
  server.on('upgrade', (request, socket) => {
    socket.on('error', () => {});
    const user = request.headers['x-remote-user'];
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Echo-User: ${user}\r\n\r\n`,
    );
    socket.pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const metadata = { name: 'echo', namespace: 'default' };
  await client.resource(services).create({ metadata, spec: { type: 'ExternalName', externalName: 'localhost' } });
  await client.resource(apiServices).create({
    metadata: { name: 'v1.echo.example.com' },
    spec: {
      group: 'echo.example.com',
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 100,
      caBundle: Buffer.from(pair.ca).toString('base64'),
      service: { ...metadata, port },
    },
  });
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
