import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareEndpoints } from '../agent/hub-endpoint/compare-endpoints.ts';
import type { HubEndpoint } from '../contract/index.ts';
import { endpointOfAccess, formatHubKubeconfig, readEndpoint } from './hub-kubeconfig.ts';

const user = { 'client-key': 'tls.key', 'client-certificate': 'tls.crt' };
const endpoint: HubEndpoint = {
  name: 'hub',
  server: 'https://hub.example:6443',
  caData: 'Y2E=',
  proxyUrl: 'http://proxy:3128',
};

describe('the kubeconfig for the hub', () => {
  it('is written byte for byte as OCM writes it', () => {
    expect(formatHubKubeconfig(endpoint, user)).toBe(
      [
        'apiVersion: v1',
        'clusters:',
        '- cluster:',
        '    certificate-authority-data: Y2E=',
        '    proxy-url: http://proxy:3128',
        '    server: https://hub.example:6443',
        '  name: hub',
        'contexts:',
        '- context:',
        '    cluster: hub',
        '    namespace: configuration',
        '    user: default-auth',
        '  name: default-context',
        'current-context: default-context',
        'kind: Config',
        'users:',
        '- name: default-auth',
        '  user:',
        '    client-certificate: tls.crt',
        '    client-key: tls.key',
        '',
      ].join('\n'),
    );
  });

  it('can be read again whatever the names are', () => {
    const text = fc.string({ minLength: 1 });
    // Not fc.webUrl, which first makes a table of all characters: two seconds.
    const server = fc.tuple(fc.domain(), text).map(([host, path]) => `https://${host}/${encodeURIComponent(path)}`);
    const any = fc.record({ name: text, server, caData: fc.base64String({ minLength: 4 }) });
    fc.assert(
      fc.property(any, (wanted) => {
        expect(readEndpoint(formatHubKubeconfig(wanted, user))).toEqual(wanted);
      }),
    );
  });

  it('leads where the bootstrap access leads, with its CA inline', () => {
    const access = { server: 'https://h', clusterName: 'x', ca: 'ca', origin: 'test' };
    expect(endpointOfAccess(access)).toEqual({ name: 'x', server: 'https://h', caData: 'Y2E=' });
  });

  it('says which entry is missing', () => {
    expect(() => readEndpoint('current-context: x')).toThrow('kubeconfig does not contains context: x');
    const lost = 'current-context: x\ncontexts: [{name: x, context: {cluster: y}}]';
    expect(() => readEndpoint(lost)).toThrow('kubeconfig does not contains cluster: y');
  });

  const stored = formatHubKubeconfig(endpoint, user);
  it('[registration-agent 19.2-23] is taken over if it says the same in other words', () => {
    expect(compareEndpoints(readEndpoint(stored), endpoint)).toBeUndefined();
    const reordered = JSON.stringify({
      preferences: {},
      kind: 'Config',
      'current-context': 'c',
      contexts: [{ context: { user: 'u', cluster: 'hub' }, name: 'c' }],
      clusters: [
        {
          name: 'hub',
          cluster: {
            server: endpoint.server,
            'proxy-url': endpoint.proxyUrl,
            'insecure-skip-tls-verify': false,
            'certificate-authority-data': endpoint.caData,
          },
        },
      ],
    });
    expect(compareEndpoints(readEndpoint(reordered), endpoint)).toBeUndefined();
  });

  it.each<[string, string, HubEndpoint]>([
    ['[registration-agent 19.2-15] the name of the cluster differs', stored, { ...endpoint, name: 'new-hub' }],
    ['[registration-agent 19.2-16] the server differs', stored, { ...endpoint, server: 'https://other' }],
    ['[registration-agent 19.2-17] the proxy differs', stored, { ...endpoint, proxyUrl: 'http://other' }],
    ['[registration-agent 19.2-18] the CA differs', stored, { ...endpoint, caData: 'b3RoZXI=' }],
  ])('%s: it is not used', (_, text, bootstrap) => {
    expect(compareEndpoints(readEndpoint(text), bootstrap)).toEqual(expect.any(String));
  });
});
