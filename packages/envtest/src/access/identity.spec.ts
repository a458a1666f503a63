import { mkdtemp, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { createIdentity } from './identity.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const server = 'https://127.0.0.1:6443';
const directory = () => mkdtemp(join(tmpdir(), 'envtest-spec-'));

test('the kubeconfig of a user with a certificate has it inline, and is private', async () => {
  const access = { server, ca: 'CA', clientCertificate: { certificate: 'CERT', key: 'KEY' }, origin: 'test' };
  const { kubeconfig, kubeconfigPath } = await createIdentity(await directory(), 'jane', access);
  expect(parse(kubeconfig)).toEqual({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'envtest',
    clusters: [{ name: 'envtest', cluster: { server, 'certificate-authority-data': base64('CA') } }],
    users: [{ name: 'jane', user: { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') } }],
    contexts: [{ name: 'envtest', context: { cluster: 'envtest', user: 'jane' } }],
  });
  expect(await readFile(kubeconfigPath, 'utf8')).toBe(kubeconfig);
  expect((await stat(kubeconfigPath)).mode & 0o777).toBe(0o600);
});

test('a user with a token has only that, even if it looks like a number', async () => {
  const access = { server, authorization: 'Bearer 012345.0123456789', origin: 'test' };
  const config = parse((await createIdentity(await directory(), 'robot', access)).kubeconfig);
  expect(config.users).toEqual([{ name: 'robot', user: { token: '012345.0123456789' } }]);
  expect(config.clusters[0].cluster).toEqual({ server });
});
