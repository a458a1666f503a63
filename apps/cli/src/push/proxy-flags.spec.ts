import { expect, it } from 'vitest';
import { withProxy } from './proxy-flags.ts';

const access = { server: 'https://member1:6443', proxyUrl: 'http://proxy:3128', origin: 'spec' };
const proxyHeaders = { 'X-Team': 'fleet' };

it.each([
  ['the proxy of the kubeconfig', access, { proxyHeaders }, { ...access, proxyHeaders }],
  ['the same by both', access, { proxyUrl: access.proxyUrl, proxyCa: 'pem' }, { ...access, proxyCa: 'pem' }],
  ['another one for the hub', access, { proxyUrl: 'http://inside:3128', proxyHeaders }, access],
  ['none', { server: access.server, origin: 'spec' }, { proxyHeaders }, { server: access.server, origin: 'spec' }],
])('a command reaches the cluster by what fits its kubeconfig: %s', (_, own, proxy, expected) => {
  expect(withProxy(own, proxy)).toEqual(expected);
});
