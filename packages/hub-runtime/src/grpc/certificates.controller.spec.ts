import { X509Certificate } from 'node:crypto';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { createInformers, runControllers } from '@flotilla/kube';
import { configMaps, namespaces, secrets } from '@flotilla/kube/kinds';
import { createAuthority } from '@flotilla/kube/pki';
import { FakeClock } from '@flotilla/kube/testing';
import { certificateBlocks } from '@flotilla/schema';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { grpcCertificatesController } from './certificates.controller.ts';

const namespace = 'hub';
const hosts = ['grpc.example.com', '127.0.0.1'];
const minuteMs = 60_000;
/** Short, because an API server has much to do in a year. */
const lives = { authorityLifeMs: 240 * minuteMs, servingLifeMs: 60 * minuteMs };

let clock: FakeClock;
let plane: ControlPlane;
let stop: AbortController;
let ended: Promise<void>;
const start = () => {
  const informers = createInformers({ client: plane.client, clock });
  stop = new AbortController();
  const controller = grpcCertificatesController({ namespace, hosts, ...lives }, { informers, clock });
  ended = runControllers([controller], { signal: stop.signal, clock }).finally(() => informers.close());
};
/** Time passes while nothing runs: keys are made in real time, and certificates would be old before they are stored. */
const pass = async (ms: number) => {
  stop.abort();
  await ended;
  await clock.advance(ms);
  start();
};
beforeEach(async () => {
  clock = new FakeClock();
  plane = await startControlPlane({ listen: false, clock });
  await plane.client.resource(namespaces).create({ metadata: { name: namespace } });
});
afterEach(async () => {
  stop.abort();
  await ended;
  await plane.stop();
});

const textOf = (data: string | undefined) => Buffer.from(data ?? '', 'base64').toString();
const secretOf = async (name: string) => (await plane.client.resource(secrets).find(`${namespace}/${name}`))?.data;
const certificateOf = async (name: string) => textOf((await secretOf(name))?.['tls.crt']);
const bundle = async () =>
  certificateBlocks(
    (await plane.client.resource(configMaps).find(`${namespace}/ca-bundle-configmap`))?.data?.['ca-bundle.crt'] ?? '',
  ).map((block) => new X509Certificate(block));
const until = (look: () => Promise<boolean>) =>
  expect
    .poll(
      async () => {
        await clock.settle();
        return look();
      },
      { timeout: 20_000 },
    )
    .toBe(true);
const made = () => until(async () => (await certificateOf('grpc-server-serving-cert')) !== '');

describe('the certificates of gRPC', () => {
  it('are made: an authority, the bundle that trusts it, and a certificate of the server with its names', async () => {
    start();
    await made();
    const signer = new X509Certificate(await certificateOf('signer-secret'));
    const serving = new X509Certificate(await certificateOf('grpc-server-serving-cert'));
    expect(signer.ca).toBe(true);
    expect(serving.verify(signer.publicKey)).toBe(true);
    expect(serving.checkHost('grpc.example.com')).toBeDefined();
    expect(serving.checkIP('127.0.0.1')).toBeDefined();
    expect((await bundle()).map(({ fingerprint256 }) => fingerprint256)).toEqual([signer.fingerprint256]);
    // The chain ends with the authority: a joining cluster compares it with the hash in its command.
    expect(certificateBlocks(await certificateOf('grpc-server-serving-cert'))).toHaveLength(2);
  });

  it('are renewed before they end; an authority that was replaced is trusted as long as it is valid', async () => {
    start();
    await made();
    const first = new X509Certificate(await certificateOf('signer-secret'));
    const serving = await certificateOf('grpc-server-serving-cert');
    await pass(41 * minuteMs);
    await until(async () => (await certificateOf('grpc-server-serving-cert')) !== serving);
    expect(await certificateOf('signer-secret')).toContain(first.toString().trim());
    // Not long after the certificate of the server was renewed.
    await pass(130 * minuteMs);
    const renewed = await certificateOf('grpc-server-serving-cert');
    await until(async () => (await certificateOf('grpc-server-serving-cert')) !== renewed);
    await pass(20 * minuteMs);
    await until(async () => !(await certificateOf('signer-secret')).includes(first.toString().trim()));
    await until(async () => (await bundle()).length === 2);
    const second = new X509Certificate(await certificateOf('signer-secret'));
    expect((await bundle()).map(({ fingerprint256 }) => fingerprint256)).toEqual([
      second.fingerprint256,
      first.fingerprint256,
    ]);
    // Agents that do not have the second one yet still trust the server.
    const served = async () => new X509Certificate(await certificateOf('grpc-server-serving-cert'));
    expect((await served()).verify(first.publicKey)).toBe(true);
    await pass(30 * minuteMs);
    await until(async () => (await served()).verify(second.publicKey));
    await pass(60 * minuteMs);
    await until(async () => (await bundle()).length === 1);
  });

  it('of another owner are used and never changed', async () => {
    const authority = await createAuthority('of the user', clock);
    const data = { 'tls.crt': btoa(authority.certificate), 'tls.key': btoa(authority.key) };
    const own = (name: string) => ({ metadata: { name, namespace }, type: 'kubernetes.io/tls', data });
    await plane.client.resource(secrets).create(own('signer-secret'));
    await plane.client.resource(secrets).create(own('grpc-server-serving-cert'));
    start();
    await until(async () => (await bundle()).length === 1);
    expect((await bundle())[0]?.subject).toBe('CN=of the user');
    await clock.settle();
    expect(await secretOf('signer-secret')).toEqual(data);
    expect(await secretOf('grpc-server-serving-cert')).toEqual(data);
  });

  it('are made anew when they are deleted', async () => {
    start();
    await made();
    await clock.settle();
    await plane.client.resource(secrets).delete(`${namespace}/grpc-server-serving-cert`);
    await made();
  });
});
