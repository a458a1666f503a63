import { mkdtempDisposable, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type SecureVersion } from 'node:tls';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { realClock } from '@flotilla/kube';
import { configMaps, namespaces, secrets } from '@flotilla/kube/kinds';
import { createAuthority, issueCertificate, type KeyPair } from '@flotilla/kube/pki';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProgram } from '../fixtures/data-host.ts';
import { runGrpcServerProgram } from './grpc-server.ts';

const namespace = 'open-cluster-management-hub';
const program = { name: 'my-hub', version: '1.0.0' };
const startServer = (...argv: string[]) =>
  startProgram(
    (host) => runGrpcServerProgram(host, program),
    ['--listen=0', '--bind-address=127.0.0.1', `--namespace=${namespace}`, ...argv],
  );

let plane: ControlPlane;
let directory: Awaited<ReturnType<typeof mkdtempDisposable>>;
const fileOf = (name: string) => join(directory.path, name);
/** As the kubelet does: in one step, so that no reader sees half a file. */
const write = async (name: string, text: string) => {
  await writeFile(fileOf(`.${name}`), text, { mode: 0o600 });
  await rename(fileOf(`.${name}`), fileOf(name));
  return fileOf(name);
};
beforeAll(async () => {
  plane = await startControlPlane({ crds: customResourceDefinitions() });
  directory = await mkdtempDisposable(join(tmpdir(), 'flotilla-grpc-'));
  await write('kubeconfig', plane.kubeconfig);
  await plane.client.resource(namespaces).create({ metadata: { name: namespace } });
});
afterAll(async () => {
  await plane?.stop();
  await directory?.remove();
});

const serving = (authority: KeyPair) =>
  issueCertificate(authority, { usage: 'server', hosts: ['127.0.0.1'] }, realClock);

/** Whether a client that trusts this authority, and may have a certificate, is accepted. */
function shakesHands(
  port: number,
  trusted: KeyPair,
  more: { client?: KeyPair; maxVersion?: SecureVersion } = {},
): Promise<boolean> {
  const { client, ...version } = more;
  return new Promise((resolve) => {
    const socket = connect({
      port,
      host: '127.0.0.1',
      ca: trusted.certificate,
      ALPNProtocols: ['h2'],
      ...(client && { cert: client.certificate, key: client.key }),
      ...version,
    });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.on('error', () => end(false));
    socket.on('close', () => end(false));
    // With TLS 1.3 the client is done before the server has seen its certificate: its first frame says that it agrees.
    socket.on('data', () => end(true));
  });
}

const portOf = async (server: ReturnType<typeof startServer>): Promise<number> => {
  const port = () =>
    Number(
      /"port":(\d+)[^\n]*serving clusters by gRPC|serving clusters by gRPC[^\n]*"port":(\d+)/
        .exec(server.output.log)
        ?.slice(1)
        .find(Boolean),
    );
  await expect.poll(port, { timeout: 20_000 }).toBeGreaterThan(0);
  return port();
};

describe('the gRPC server of a hub', () => {
  it('explains its flags', async () => {
    const server = startServer('--help');
    expect(await server.exitCode).toBe(0);
    expect(server.output.printed).toContain('--server-config');
    expect(server.output.printed).toContain('--broker-heartbeat-interval');
  });

  it('refuses heartbeats more often than every ten seconds, unless they are off [grpc-cloudevents 26.2-13]', async () => {
    const kubeconfig = `--kubeconfig=${fileOf('kubeconfig')}`;
    const often = startServer(kubeconfig, '--broker-heartbeat-interval=5s');
    expect(await often.exitCode).not.toBe(0);
    expect(often.output.log).toContain('--broker-heartbeat-interval=5s is too short');
    const off = startServer(kubeconfig, '--broker-heartbeat-interval=5s', '--broker-heartbeat-disabled');
    await expect.poll(() => off.output.log).toContain('cannot be used yet');
    off.end();
    expect(await off.exitCode).toBe(0);
  });

  it('serves with files, and follows them without a restart [grpc-cloudevents 26.6-57]', async () => {
    const first = await createAuthority('first', realClock);
    const second = await createAuthority('second', realClock);
    const put = async (authority: KeyPair, clientCa: string) => {
      const pair = await serving(authority);
      await write('tls.key', pair.key);
      await write('tls.crt', pair.certificate);
      await write('ca.crt', clientCa);
    };
    await put(first, first.certificate);
    const config = await write(
      'config.yaml',
      `tls_cert_file: ${fileOf('tls.crt')}\ntls_key_file: ${fileOf('tls.key')}\nclient_ca_file: ${fileOf('ca.crt')}\nserver_bind_port: "0"\n`,
    );
    const server = startServer(
      `--kubeconfig=${fileOf('kubeconfig')}`,
      `--server-config=${config}`,
      '--tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
    );
    const port = await portOf(server);
    const ofFirst = await issueCertificate(first, { usage: 'client', name: 'a' }, realClock);
    const ofSecond = await issueCertificate(second, { usage: 'client', name: 'a' }, realClock);
    expect(await shakesHands(port, first)).toBe(true);
    expect(await shakesHands(port, first, { maxVersion: 'TLSv1.2' })).toBe(true);
    expect(await shakesHands(port, first, { client: ofFirst })).toBe(true);
    expect(await shakesHands(port, first, { client: ofSecond })).toBe(false);
    // Rotation of the authority: both are trusted for a while, then the new one only.
    await put(second, second.certificate + first.certificate);
    await expect.poll(() => shakesHands(port, second, { client: ofSecond }), { timeout: 20_000 }).toBe(true);
    expect(await shakesHands(port, second, { client: ofFirst })).toBe(true);
    await write('ca.crt', second.certificate);
    await expect.poll(() => shakesHands(port, second, { client: ofFirst }), { timeout: 20_000 }).toBe(false);
    // A broken file changes nothing.
    await write('tls.crt', 'broken');
    await expect.poll(() => server.output.log, { timeout: 20_000 }).toContain('TLS cannot be served');
    expect(await shakesHands(port, second, { client: ofSecond })).toBe(true);
    server.end();
    expect(await server.exitCode).toBe(0);
  });

  it('serves with a Secret of the user, and trusts the clients of a ConfigMap; both are followed', async () => {
    const [first, second] = [await createAuthority('one', realClock), await createAuthority('two', realClock)];
    const server = startServer(
      `--kubeconfig=${fileOf('kubeconfig')}`,
      `--server-config=${await write('port.yaml', 'server_bind_port: "0"\n')}`,
      '--serving-secret=my-certificate',
    );
    await expect.poll(() => server.output.log).toContain(`Secret ${namespace}/my-certificate with tls.crt`);
    const dataOf = async (authority: KeyPair) => {
      const pair = await serving(authority);
      return { 'tls.crt': btoa(pair.certificate), 'tls.key': btoa(pair.key), 'ca.crt': btoa(authority.certificate) };
    };
    const metadata = { name: 'my-certificate', namespace };
    await plane.client.resource(secrets).create({ metadata, type: 'kubernetes.io/tls', data: await dataOf(first) });
    await plane.client.resource(configMaps).create({
      metadata: { name: 'ca-bundle-configmap', namespace },
      data: { 'ca-bundle.crt': first.certificate },
    });
    const port = await portOf(server);
    const client = await issueCertificate(second, { usage: 'client', name: 'a' }, realClock);
    expect(await shakesHands(port, first)).toBe(true);
    expect(await shakesHands(port, first, { client })).toBe(false);
    await plane.client
      .resource(secrets)
      .patch(`${namespace}/my-certificate`, { type: 'merge', body: { data: await dataOf(second) } });
    await plane.client.resource(configMaps).patch(`${namespace}/ca-bundle-configmap`, {
      type: 'merge',
      body: { data: { 'ca-bundle.crt': second.certificate } },
    });
    await expect.poll(() => shakesHands(port, second, { client }), { timeout: 20_000 }).toBe(true);
    server.end();
    expect(await server.exitCode).toBe(0);
  });
});
