import { expect, test } from 'vitest';
import { apiServerFlags, controllerManagerFlags, etcdFlags } from './component-flags.ts';
import { type Flags, renderFlags } from './flags.ts';

const pki = {
  clientCa: '/pki/ca.crt',
  clientCaKey: '/pki/ca.key',
  rootCa: '/pki/root-ca.crt',
  serving: { certificate: '/pki/apiserver.crt', key: '/pki/apiserver.key' },
  serviceAccountKey: '/pki/sa.key',
  serviceAccountPublicKey: '/pki/sa.pub',
  kubeletClient: { certificate: '/pki/kubelet-client.crt', key: '/pki/kubelet-client.key' },
  frontProxyCa: '/pki/front-proxy-ca.crt',
  frontProxyClient: { certificate: '/pki/front-proxy-client.crt', key: '/pki/front-proxy-client.key' },
};

test.each<[string, (Flags | undefined)[], string[]]>([
  ['a flag is written with its value', [{ a: '1' }], ['--a=1']],
  ['a later layer replaces a flag in place', [{ a: '1', b: '2' }, { a: '3' }], ['--a=3', '--b=2']],
  ['a list repeats the flag', [{ a: ['1', '2'] }], ['--a=1', '--a=2']],
  ['undefined takes a default away', [{ a: '1', b: '2' }, { a: undefined }], ['--b=2']],
  ['a missing layer is ignored', [{ a: '1' }, undefined], ['--a=1']],
])('%s', (_what, layers, expected) => {
  expect(renderFlags(...layers)).toEqual(expected);
});

test('the API server listens on loopback only and authorizes by RBAC', () => {
  const flags = apiServerFlags({ port: 6443, pki });
  expect(flags).toMatchObject({
    'bind-address': '127.0.0.1',
    'secure-port': '6443',
    'authorization-mode': 'Node,RBAC',
    'enable-bootstrap-token-auth': 'true',
    'client-ca-file': '/pki/ca.crt',
  });
});

test('the controller manager signs CSRs for as long as asked and serves nothing', () => {
  const flags = controllerManagerFlags({ kubeconfig: '/admin', pki, signingDuration: '30s', workloads: false });
  expect(flags).toMatchObject({
    'cluster-signing-duration': '30s',
    'cluster-signing-cert-file': '/pki/ca.crt',
    'secure-port': '0',
  });
  expect(flags.controllers).toContain('certificatesigningrequest-signing-controller');
});

test('the API server forwards users to aggregated API servers under an identity that only its own authority signs', () => {
  expect(apiServerFlags({ port: 6443, pki })).toMatchObject({
    'requestheader-client-ca-file': '/pki/front-proxy-ca.crt',
    'requestheader-allowed-names': 'front-proxy-client',
    'proxy-client-cert-file': '/pki/front-proxy-client.crt',
    'enable-aggregator-routing': 'true',
    'kubelet-certificate-authority': '/pki/ca.crt',
  });
});

test('workload controllers run only where they are asked for', () => {
  const controllersOf = (workloads: boolean) =>
    controllerManagerFlags({ kubeconfig: '/admin', pki, signingDuration: '30s', workloads }).controllers;
  expect(controllersOf(false)).not.toContain('deployment-controller');
  expect(controllersOf(true)).toContain('deployment-controller');
  expect(controllersOf(true)).toContain('certificatesigningrequest-signing-controller');
});

test('etcd opens no network port', () => {
  const urls = Object.entries(etcdFlags('/data')).filter(([name]) => name.endsWith('-urls'));
  expect(urls.length).toBe(4);
  for (const [, url] of urls) expect(url).toMatch(/^unix:/);
});
