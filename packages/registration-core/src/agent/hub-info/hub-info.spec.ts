import { describe, expect, it } from 'vitest';
import { parseClusterInfo, verifiable } from '../../kube-hub/cluster-info.ts';
import { isSameTrust, mergeBundles, trustsAll } from '../hub-endpoint/ca-bundle.ts';
import { trustedBundle } from './follow-hub-info.ts';

const pem = (name: string) => `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`;
const bundle = (...names: string[]) => Buffer.from(names.map(pem).join('')).toString('base64');

describe('a CA bundle', () => {
  it('is as good as another with the same certificates, whatever their order, line ends and what stands between them', () => {
    const other = Buffer.from(`# new\n${pem('b')}\n# old\n${pem('a')}`.replaceAll('\n', '\r\n')).toString('base64');
    expect(isSameTrust(bundle('a', 'b'), other)).toBe(true);
    expect(isSameTrust(bundle('a'), other)).toBe(false);
    expect(isSameTrust(undefined, undefined)).toBe(true);
    expect(isSameTrust(undefined, bundle('a'))).toBe(false);
  });

  it('trusts what it contains', () => {
    expect(trustsAll(bundle('a', 'b'), bundle('b'))).toBe(true);
    expect(trustsAll(bundle('a'), bundle('a', 'b'))).toBe(false);
  });

  it('is merged without saying anything twice, and left as it is if there is nothing to add', () => {
    expect(mergeBundles(bundle('a', 'b'), bundle('b'))).toBe(bundle('a', 'b'));
    expect(mergeBundles(bundle('a'), bundle('b', 'a'))).toBe(bundle('a', 'b'));
  });
});

describe('what an agent trusts', () => {
  const endpoint = { name: 'hub', server: 'https://hub', caData: bundle('old') };
  it('is what the bootstrap access and the hub say', () => {
    expect(trustedBundle(endpoint, { caData: bundle('new') })).toBe(bundle('old', 'new'));
  });
  it('is no longer the old CA when neither names it any more', () => {
    expect(trustedBundle({ ...endpoint, caData: bundle('new') }, { caData: bundle('new') })).toBe(bundle('new'));
  });
  it('is what the bootstrap access says if the hub says nothing', () => {
    expect(trustedBundle(endpoint, undefined)).toBe(endpoint.caData);
    expect(trustedBundle(endpoint, { server: 'https://hub' })).toBe(endpoint.caData);
  });
  it('are the roots of the system if the bootstrap access has no CA', () => {
    expect(trustedBundle({ name: 'hub', server: 'https://hub' }, { caData: bundle('new') })).toBeUndefined();
  });
});

describe('kube-public/cluster-info', () => {
  it('is read as kubeadm writes it', () => {
    const text =
      'apiVersion: v1\nclusters:\n- cluster:\n    certificate-authority-data: QQ==\n    server: https://hub:6443\n  name: ""\n';
    expect(parseClusterInfo(text)).toEqual({ server: 'https://hub:6443', caData: 'QQ==' });
  });
  it.each(['', 'clusters: []', 'clusters:\n- name: ""'])('is nothing if it says nothing: %j', (text) => {
    expect(parseClusterInfo(text)).toEqual({});
  });
  it.each(['http://hub:8080', 'hub:6443', '{}', '1'])('names no address that cannot be verified: %s', (server) => {
    const published = parseClusterInfo(`clusters:\n- cluster:\n    server: ${server}\n  name: ""\n`);
    expect(verifiable(published)).toEqual({});
  });
  it('is refused if it cannot be read', () => {
    expect(() => parseClusterInfo('a: [')).toThrow('kube-public/cluster-info of the hub is not YAML');
  });
});
