import type { CertificateSigningRequest } from '@flotilla/kube/kinds';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { approvalPath, type RequestedSubject, recognizeAgentRequest } from './approval.policy.ts';

const signerName = 'kubernetes.io/kube-apiserver-client';
const prefix = 'system:open-cluster-management:';

const request = (overrides: Partial<CertificateSigningRequest['spec']> = {}, labels: Record<string, string> = {}) => ({
  metadata: { name: 'c1-x', labels: { 'open-cluster-management.io/cluster-name': 'c1', ...labels } },
  spec: {
    request: '',
    signerName,
    usages: ['digital signature', 'key encipherment', 'client auth'],
    username: `${prefix}c1:a1`,
    ...overrides,
  },
});
const subject = (overrides: Partial<RequestedSubject> = {}): RequestedSubject => ({
  commonNames: [`${prefix}c1:a1`],
  organizations: [`${prefix}c1`, `${prefix}managed-clusters`],
  organizationUnits: [],
  hasAlternativeNames: false,
  keyFingerprint: 'sha256:0',
  ...overrides,
});

describe('the recognition of agent requests', () => {
  it('[registration-hub 19.3-44] knows the request of an agent, in any order of groups', () => {
    const expected = { clusterName: 'c1', commonName: `${prefix}c1:a1` };
    expect(recognizeAgentRequest(request(), subject(), signerName)).toEqual(expected);
    const reversed = subject({ organizations: subject().organizations.toReversed() });
    expect(recognizeAgentRequest(request(), reversed, signerName)).toEqual(expected);
    const ownOnly = subject({ organizations: [`${prefix}c1`] });
    expect(recognizeAgentRequest(request(), ownOnly, signerName)).toEqual(expected);
  });

  it('knows the request of a holder of a join token for its cluster, or for any', () => {
    for (const group of ['system:bootstrappers:managedcluster:c1', 'system:bootstrappers:managedcluster']) {
      const sent = request({ username: 'system:bootstrap:abcdef', groups: ['system:bootstrappers', group] });
      expect(recognizeAgentRequest(sent, subject(), signerName)?.clusterName).toBe('c1');
    }
  });

  const forgeries: Record<string, [CertificateSigningRequest, RequestedSubject | undefined]> = {
    '[registration-hub 19.3-38] a body that cannot be read': [request(), undefined],
    '[registration-hub 19.3-38] no cluster label': [{ ...request(), metadata: { name: 'x' } }, subject()],
    '[registration-hub 19.3-50] the label of an add-on': [
      request({}, { 'open-cluster-management.io/addon-name': 'work' }),
      subject(),
    ],
    '[registration-hub 19.3-38, 19.3-45] another signer': [
      request({ signerName: 'kubernetes.io/kubelet-serving' }),
      subject(),
    ],
    '[registration-hub 19.3-38, 19.3-45] an empty signer': [request({ signerName: '' }), subject()],
    '[registration-hub 19.3-38] no organization': [request(), subject({ organizations: [] })],
    '[registration-hub 19.3-38] a foreign organization': [request(), subject({ organizations: ['test'] })],
    '[registration-hub 19.3-38] no name': [request(), subject({ commonNames: [] })],
    'a sender with a join token for another cluster': [
      request({ username: 'system:bootstrap:abcdef', groups: ['system:bootstrappers:managedcluster:c2'] }),
      subject(),
    ],
    'the usage of a server': [request({ usages: ['digital signature', 'client auth', 'server auth'] }), subject()],
    'no usage of a client': [request({ usages: ['digital signature'] }), subject()],
    '[registration-hub 19.3-52] an extra organization': [
      request(),
      subject({ organizations: [...subject().organizations, 'system:masters'] }),
    ],
    '[registration-hub 19.3-41] the organization of a similar name': [
      request(),
      subject({ organizations: [`${prefix}c10`] }),
    ],
    'only the group of all clusters': [request(), subject({ organizations: [`${prefix}managed-clusters`] })],
    '[registration-hub 19.3-40] the name and the organization of a similar name': [
      request(),
      subject({ commonNames: [`${prefix}c1xyz:a1`], organizations: [`${prefix}c1xyz`] }),
    ],
    '[registration-hub 19.3-42] the name of another cluster': [request(), subject({ commonNames: [`${prefix}c2:a1`] })],
    '[registration-hub 19.3-39] the name of a similar name': [request(), subject({ commonNames: [`${prefix}c10:a1`] })],
    '[registration-hub 19.3-43] a name with three parts': [request(), subject({ commonNames: [`${prefix}c1:a1:x`] })],
    '[registration-hub 19.3-43] a name without an agent': [request(), subject({ commonNames: [`${prefix}c1:`] })],
    'a name without the prefix': [request(), subject({ commonNames: ['c1:a1'] })],
    'two names': [request(), subject({ commonNames: [`${prefix}c1:a1`, 'admin'] })],
    'alternative names': [request(), subject({ hasAlternativeNames: true })],
    'organization units': [request(), subject({ organizationUnits: ['x'] })],
    'a cluster named like the group of all': [
      request({}, { 'open-cluster-management.io/cluster-name': 'managed-clusters' }),
      subject({
        commonNames: [`${prefix}managed-clusters:a1`],
        organizations: [`${prefix}managed-clusters`],
      }),
    ],
  };
  it.each(Object.entries(forgeries))('does not know a request with %s', (_, [forged, asked]) => {
    expect(recognizeAgentRequest(forged, asked, signerName)).toBeUndefined();
  });

  it('never lets label, name and groups speak of different clusters', () => {
    // Names that begin, end or contain each other are the ones that careless comparisons mix up.
    const name = fc.stringMatching(/^[c1:0-]{0,4}$/);
    const word = fc.oneof(name, fc.constantFrom('c1', 'c10', '', 'c1:a1', ' c1', 'C1', 'managed-clusters'));
    const forged = fc.record({
      label: word,
      commonNames: fc.array(
        fc.tuple(word, word).map(([a, b]) => `${prefix}${a}:${b}`),
        { maxLength: 2 },
      ),
      organizations: fc.array(
        fc.oneof(
          word.map((cluster) => `${prefix}${cluster}`),
          fc.constantFrom('system:masters', 'system:nodes', `${prefix}managed-clusters`),
        ),
        { maxLength: 3 },
      ),
    });
    fc.assert(
      fc.property(forged, ({ label, commonNames, organizations }) => {
        const labels = { 'open-cluster-management.io/cluster-name': label };
        const known = recognizeAgentRequest(request({}, labels), subject({ commonNames, organizations }), signerName);
        if (!known) return;
        expect(known.clusterName).toBe(label);
        const agent = known.commonName.slice(`${prefix}${label}:`.length);
        expect(commonNames).toEqual([`${prefix}${label}:${agent}`]);
        expect(agent).toMatch(/^[^:]+$/);
        const own = organizations.filter((organization) => organization !== `${prefix}managed-clusters`);
        expect(new Set(own)).toEqual(new Set([`${prefix}${label}`]));
        expect(label).not.toMatch(/:|^managed-clusters$|^$/);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the way to an approval', () => {
  const agent = { clusterName: 'c1', commonName: `${prefix}c1:a1` };
  it('[registration-hub 19.3-33] is a renewal only for the very user that the certificate names', () => {
    const trusted = new Set(['bootstrap']);
    expect(approvalPath(request(), agent, trusted)).toBe('renewal');
    expect(approvalPath(request({ username: `${prefix}c1:a2` }), agent, trusted)).toBe('none');
    expect(approvalPath(request({ username: `${prefix}c1:a10` }), agent, trusted)).toBe('none');
    expect(approvalPath(request({ username: 'bootstrap' }), agent, trusted)).toBe('bootstrap');
    expect(approvalPath(request({ username: 'bootstrap1' }), agent, trusted)).toBe('none');
    expect(approvalPath(request({ username: 'bootstrap' }), agent, new Set())).toBe('none');
  });
});
