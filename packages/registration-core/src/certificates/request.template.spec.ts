import type { CertificateSigningRequest } from '@flotilla/kube/kinds';
import { describe, expect, it } from 'vitest';
import { addonTemplate, clusterTemplate, decisionOn } from './request.template.ts';

const identity = { clusterName: 'c1', agentName: 'a1' };
const kubeSigner = 'kubernetes.io/kube-apiserver-client';
const cluster = { 'open-cluster-management.io/cluster-name': 'c1' };
const addon = { ...cluster, 'open-cluster-management.io/addon-name': 'work' };

const request = (
  labels: Record<string, string>,
  { name = 'c1-abcde', signerName = kubeSigner, status }: Partial<RequestParts> = {},
): CertificateSigningRequest => ({
  metadata: { name, labels },
  spec: { request: '', signerName, usages: [] },
  ...(status && { status }),
});
interface RequestParts {
  name: string;
  signerName: string;
  status: CertificateSigningRequest['status'];
}

describe('[registration-agent 19.6-62] a request on the hub', () => {
  it.each([
    ['with the label of the cluster', request(cluster), true],
    ['without labels', request({}), false],
    ['of another cluster', request({ 'open-cluster-management.io/cluster-name': 'c2' }), false],
    ['of an add-on', request(addon), false],
    ['under the name of another cluster', request(cluster, { name: 'c10-abcde' }), false],
    ['for another signer', request(cluster, { signerName: 'example.com/s' }), false],
  ])('%s is that of the cluster: %s', (_, candidate, isOwn) => {
    expect(clusterTemplate(identity, kubeSigner).owns(candidate)).toBe(isOwn);
  });

  it.each([
    ['with both labels and the signer', request(addon, { signerName: 'example.com/s' }), true],
    ['without labels', request({}, { signerName: 'example.com/s' }), false],
    ['of the cluster', request(cluster, { signerName: 'example.com/s' }), false],
    [
      'of another cluster',
      request({ ...addon, 'open-cluster-management.io/cluster-name': 'c2' }, { signerName: 'example.com/s' }),
      false,
    ],
    [
      'of another add-on',
      request({ ...addon, 'open-cluster-management.io/addon-name': 'other' }, { signerName: 'example.com/s' }),
      false,
    ],
    ['for another signer', request(addon), false],
    ['for no signer', request(addon, { signerName: '' }), false],
  ])('%s is that of the add-on: %s', (_, candidate, isOwn) => {
    const registration = {
      type: 'customSigner',
      addonName: 'work',
      signerName: 'example.com/s',
      user: '',
      groups: [],
      organizationUnits: [],
    } as const;
    expect(addonTemplate(identity, registration, kubeSigner).owns(candidate)).toBe(isOwn);
  });
});

describe('[registration-agent 19.6-61] the decision on a request', () => {
  const condition = (type: string) => ({ type, status: 'True', reason: 'R', message: 'm' });
  const certificate = Buffer.from('PEM').toString('base64');
  it.each<[string, CertificateSigningRequest['status'], object]>([
    ['is open without conditions', {}, { kind: 'undecided' }],
    ['is made and not yet carried out', { conditions: [condition('Approved')] }, { kind: 'approved' }],
    ['is carried out', { conditions: [condition('Approved')], certificate }, { kind: 'issued', certificate: 'PEM' }],
    ['is a denial', { conditions: [condition('Denied')] }, { kind: 'refused', message: 'Denied, R: m' }],
    [
      'is a denial although it was also approved',
      { conditions: [condition('Approved'), condition('Denied')], certificate },
      { kind: 'refused', message: 'Denied, R: m' },
    ],
    ['is a failure', { conditions: [condition('Failed')] }, { kind: 'refused', message: 'Failed, R: m' }],
    ['is open with a certificate but without an approval', { certificate }, { kind: 'undecided' }],
  ])('%s', (_, status, expected) => {
    expect(decisionOn(request(cluster, { status }))).toEqual(expected);
  });
});
