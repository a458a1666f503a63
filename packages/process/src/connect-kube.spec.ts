import type { Socket } from 'node:net';
import { KubeError, realClock, silentLogger } from '@flotilla/kube';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { createAuthority, issueCertificate } from '@flotilla/kube/pki';
import { FakeClock, temporaryDirectory } from '@flotilla/kube/testing';
import { expect, it } from 'vitest';
import { connectKube } from './connect-kube.ts';
import { Metrics } from './metrics/metrics.ts';
import { kitMetricsFor } from './metrics/prometheus-kit-metrics.ts';
import { kubeOptions } from './option-groups.ts';
import { parseOptions } from './options/parse-options.ts';
import { serve } from './serving/serve.ts';

const get = { method: 'GET', path: '/version' } as const;

function connect(argv: string[]) {
  const parsed = parseOptions(kubeOptions, { argv, env: {} });
  if (parsed.kind !== 'run') throw new Error(`asked for ${parsed.kind}`);
  const clock = new FakeClock();
  const metrics = new Metrics({ clock, prefix: 'flotilla', processMetrics: false });
  const client = connectKube(
    { options: parsed.values, clock, log: silentLogger, kitMetrics: kitMetricsFor(metrics) },
    { name: 'hub', env: {}, fieldManager: 'spec-agent' },
  );
  return { clock, client, rendered: async () => (await metrics.render()).body };
}

/** An API server that answers only `/version`. */
async function startServer() {
  const authority = await createAuthority('spec-ca', realClock);
  const served = await issueCertificate(authority, { usage: 'server', hosts: ['127.0.0.1'] }, realClock);
  const userAgents: (string | undefined)[] = [];
  const sockets = new Set<Socket>();
  const server = await serve({
    address: { host: '127.0.0.1', port: 0 },
    tls: { cert: served.certificate, key: served.key },
    routes: [
      {
        path: '/version',
        handle({ message }) {
          userAgents.push(message.headers['user-agent']);
          sockets.add(message.socket);
          return { status: 200, body: '{}', contentType: 'application/json' };
        },
      },
    ],
  });
  const clientCertificate = await issueCertificate(authority, { usage: 'client', name: 'jane' }, realClock);
  const access = { server: server.url, ca: authority.certificate, clientCertificate, origin: 'spec' };
  const close = () => server.close();
  return { server, access, userAgents, sockets, [Symbol.asyncDispose]: close };
}

it('makes a client of the cluster, context and rate that the flags name, and leaves nothing behind when it closes', async () => {
  await using started = await startServer();
  const { access, userAgents, sockets } = started;
  await using directory = await temporaryDirectory();
  const file = `${directory.path}/config`;
  await writeKubeconfig(file, kubeconfigFor(access, { context: 'hub' }));
  const flags = [`--kubeconfig=${file}`, '--context=hub', '--kube-api-qps=1', '--kube-api-burst=1'];
  const { clock, client, rendered } = connect(flags);
  await client.transport.request(get);
  expect(userAgents).toEqual(['spec-agent']);
  const { host } = new URL(access.server);
  expect(await rendered()).toContain(`rest_client_requests_total{client="hub",host="${host}"`);
  expect(await rendered()).toMatch(/flotilla_certificate_expiry_seconds\{client="hub",origin=".+"\} -?\d+/);
  const second = client.transport.request(get);
  await clock.settle();
  expect(userAgents).toHaveLength(1);
  await clock.advance(1_000);
  await second;
  await client.close();
  await expect.poll(() => [...sockets].every((socket) => socket.closed)).toBe(true);
  expect(clock.pending).toBe(0);
  expect(await rendered()).not.toContain('client="hub"');
});

it('says which flag names a context that is not there', async () => {
  await using directory = await temporaryDirectory();
  const file = await directory.write('config', JSON.stringify({ contexts: [] }));
  const { client } = connect([`--kubeconfig=${file}`, '--context=nowhere']);
  const error = KubeError.from(await client.transport.request(get).catch((caught: unknown) => caught));
  expect(error.message).toBe(`Config: ${file}: there is no context "nowhere"`);
  await client.close();
});
