import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@flotilla/kube/testing';
import { expect, test } from 'vitest';
import { createClusterPki } from './cluster-pki.ts';

const clock = new FakeClock();
const scratch = () => join(mkdtempSync(join(tmpdir(), 'envtest-spec-')), 'pki');
const isSignedBy = (certificate: string, ca: string) =>
  new X509Certificate(certificate).verify(new X509Certificate(ca).publicKey);

test('every file is for its owner only', async () => {
  const directory = scratch();
  await createClusterPki(directory, clock);
  const names = await readdir(directory);
  expect(names.sort()).toEqual([
    'apiserver-kubelet-client.crt',
    'apiserver-kubelet-client.key',
    'apiserver.crt',
    'apiserver.key',
    'ca.crt',
    'ca.key',
    'front-proxy-ca.crt',
    'front-proxy-client.crt',
    'front-proxy-client.key',
    'root-ca.crt',
    'sa.key',
    'sa.pub',
  ]);
  for (const name of names) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
});

test('a second start on the same directory keeps the authority and the service-account key', async () => {
  const directory = scratch();
  const first = await createClusterPki(directory, clock);
  const key = readFileSync(first.files.serviceAccountKey, 'utf8');
  const second = await createClusterPki(directory, clock);
  expect(second.clientCa.certificate).toBe(first.clientCa.certificate);
  expect(readFileSync(second.files.serviceAccountKey, 'utf8')).toBe(key);
});

test('a rotation with the same CA changes the certificate and nothing that is trusted', async () => {
  const pki = await createClusterPki(scratch(), clock);
  const before = { bundle: pki.trustBundle, served: readFileSync(pki.files.serving.certificate, 'utf8') };
  const pair = await pki.rotateServing({ ca: 'same' });
  expect(readFileSync(pki.files.serving.certificate, 'utf8')).toBe(pair.certificate);
  expect(pair.certificate).not.toBe(before.served);
  expect(pki.trustBundle).toBe(before.bundle);
  expect(isSignedBy(pair.certificate, pki.clientCa.certificate)).toBe(true);
});

test('a rotation with a new CA trusts both, and still signs users with the old one', async () => {
  const pki = await createClusterPki(scratch(), clock);
  const old = pki.clientCa.certificate;
  const pair = await pki.rotateServing({ ca: 'new' });
  expect(isSignedBy(pair.certificate, old)).toBe(false);
  expect(isSignedBy(pair.certificate, pki.servingCa.certificate)).toBe(true);
  expect(pki.trustBundle).toBe(old + pki.servingCa.certificate);
  expect(readFileSync(pki.files.rootCa, 'utf8')).toBe(pki.trustBundle);
  expect(pki.clientCa.certificate).toBe(old);
});

test('forwarded users are vouched for by an authority of their own, which signs no client of the API server', async () => {
  const { files, clientCa } = await createClusterPki(scratch(), clock);
  const proxyClient = readFileSync(files.frontProxyClient.certificate, 'utf8');
  expect(isSignedBy(proxyClient, readFileSync(files.frontProxyCa, 'utf8'))).toBe(true);
  expect(isSignedBy(proxyClient, clientCa.certificate)).toBe(false);
  expect(isSignedBy(readFileSync(files.kubeletClient.certificate, 'utf8'), clientCa.certificate)).toBe(true);
});
