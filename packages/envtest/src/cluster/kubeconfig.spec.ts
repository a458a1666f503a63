import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { buildKubeconfig } from './kubeconfig.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const server = 'https://127.0.0.1:6443';

test('a user with a certificate has it inline', () => {
  const access = { server, ca: 'CA', clientCertificate: { certificate: 'CERT', key: 'KEY' }, origin: 'test' };
  expect(parse(buildKubeconfig(access, 'jane'))).toEqual({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'envtest',
    clusters: [{ name: 'envtest', cluster: { server, 'certificate-authority-data': base64('CA') } }],
    users: [{ name: 'jane', user: { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') } }],
    contexts: [{ name: 'envtest', context: { cluster: 'envtest', user: 'jane' } }],
  });
});

test('a user with a token has only that, even if it looks like a number', () => {
  const config = parse(buildKubeconfig({ server, authorization: 'Bearer 012345.0123456789', origin: 'test' }, 'robot'));
  expect(config.users).toEqual([{ name: 'robot', user: { token: '012345.0123456789' } }]);
  expect(config.clusters[0].cluster).toEqual({ server });
});
