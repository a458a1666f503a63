import { expect, it } from 'vitest';
import { SpecServer } from '../client/fixtures/api-server.ts';
import { failure, useHarness } from '../client/fixtures/harness.ts';
import { temporaryDirectory } from '../credentials/fixtures/temporary-directory.ts';
import { kubeconfigFor, writeKubeconfig } from '../credentials/kubeconfig-document.ts';
import { silentLogger } from '../log/logger.ts';
import { Metrics } from '../metrics/metrics.ts';
import { kitMetricsFor } from '../metrics/prometheus-kit-metrics.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { connectKube } from './connect-kube.ts';
import { kubeOptions } from './option-groups.ts';
import { parseOptions } from './options/parse-options.ts';

const harness = useHarness();
const get = { method: 'GET', path: '/version' } as const;

function connect(argv: string[]) {
  const parsed = parseOptions(kubeOptions, { argv, env: {} });
  if (parsed.kind !== 'run') throw new Error(`asked for ${parsed.kind}`);
  const clock = new FakeClock();
  const metrics = new Metrics({ clock, processMetrics: false });
  const client = connectKube(
    { options: parsed.values, clock, log: silentLogger, kitMetrics: kitMetricsFor(metrics) },
    { name: 'hub', env: {}, fieldManager: 'spec-agent' },
  );
  return { clock, client, rendered: async () => (await metrics.render()).body };
}

it('makes a client of the cluster, context and rate that the flags name, and leaves nothing behind when it closes', async () => {
  await using server = await SpecServer.start({ tls: harness().tls, handler: () => ({}) });
  await using directory = await temporaryDirectory();
  const file = `${directory.path}/config`;
  const { ca } = harness().authority;
  const access = server.access({ ca, clientCertificate: await harness().authority.issue() });
  await writeKubeconfig(file, kubeconfigFor(access, { context: 'hub' }));
  const flags = [`--kubeconfig=${file}`, '--context=hub', '--kube-api-qps=1', '--kube-api-burst=1'];
  const { clock, client, rendered } = connect(flags);
  await client.transport.request(get);
  expect(server.seen[0]?.headers['user-agent']).toBe('spec-agent');
  expect(await rendered()).toContain(`rest_client_requests_total{client="hub",host="127.0.0.1:${server.port}"`);
  expect(await rendered()).toMatch(/flotilla_certificate_expiry_seconds\{client="hub",origin=".+"\} -?\d+/);
  const second = client.transport.request(get);
  await clock.settle();
  expect(server.seen).toHaveLength(1);
  await clock.advance(1_000);
  await second;
  await client.close();
  await expect.poll(() => server.sockets.size).toBe(0);
  expect(clock.pending).toBe(0);
  expect(await rendered()).not.toContain('client="hub"');
});

it('says which flag names a context that is not there', async () => {
  await using directory = await temporaryDirectory();
  const file = await directory.write('config', JSON.stringify({ contexts: [] }));
  const { client } = connect([`--kubeconfig=${file}`, '--context=nowhere']);
  const error = await failure(client.transport.request(get));
  expect(error.message).toBe(`Config: ${file}: there is no context "nowhere"`);
  await client.close();
});
