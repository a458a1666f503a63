import type { CertificateSigningRequest } from '@flotilla/kube/kinds';
import type { RequestedSubject } from '@flotilla/registration-core/certificates';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOfEarlierCluster, planAcceptance, type ReadRequest } from './accept.policy.ts';

const prefix = 'system:open-cluster-management:';
const bootstrapAccount = 'system:serviceaccount:open-cluster-management:agent-registration-bootstrap';
const bootstrapGroup = 'system:bootstrappers:managedcluster';
const anyone = { requesters: [], anySender: false };

interface Asked {
  readonly name: string;
  readonly label: string;
  readonly cluster: string;
  readonly agent: string;
  readonly organization: string;
  readonly signerName: string;
  readonly username: string;
  readonly groups: readonly string[];
  readonly decision: 'Approved' | 'Denied' | undefined;
  readonly alternativeNames: boolean;
  readonly key: string;
}

const usual: Asked = {
  name: 'r',
  label: 'c1',
  cluster: 'c1',
  agent: 'a',
  organization: 'c1',
  signerName: 'kubernetes.io/kube-apiserver-client',
  username: bootstrapAccount,
  groups: [],
  decision: undefined,
  alternativeNames: false,
  key: 'k1',
};

const c1 = { name: 'c1', isReporting: false };

const read = (asked: Partial<Asked> = {}): ReadRequest => {
  const { name, label, cluster, agent, organization, signerName, username, groups, decision, alternativeNames, key } = {
    ...usual,
    ...asked,
  };
  const request: CertificateSigningRequest = {
    metadata: { name, labels: { 'open-cluster-management.io/cluster-name': label } },
    spec: {
      request: '',
      signerName,
      usages: ['digital signature', 'key encipherment', 'client auth'],
      username,
      groups: [...groups],
    },
    ...(decision && { status: { conditions: [{ type: decision, status: 'True' }] } }),
  };
  const subject: RequestedSubject = {
    commonNames: [`${prefix}${cluster}:${agent}`],
    organizations: [`${prefix}${organization}`, `${prefix}managed-clusters`],
    organizationUnits: [],
    hasAlternativeNames: alternativeNames,
    keyFingerprint: key,
  };
  return { request, subject };
};

const approvedBy = (plan: ReturnType<typeof planAcceptance>): string[] =>
  plan.kind === 'approve' ? plan.approve.map(({ metadata }) => metadata?.name ?? '') : [];

describe('the plan of an acceptance', () => {
  it.each([
    { whose: 'the bootstrap account', request: {}, approved: true },
    {
      whose: 'a holder of a bootstrap token',
      request: { username: 'system:bootstrap:ocmhub', groups: [bootstrapGroup] },
      approved: true,
    },
    {
      whose: 'a holder of a bootstrap token for something else',
      request: { username: 'system:bootstrap:ocmhub', groups: ['system:bootstrappers:kubeadm'] },
      approved: false,
    },
    {
      whose: 'a holder of a join token for this cluster',
      request: {
        username: 'system:bootstrap:abcdef',
        groups: ['system:bootstrappers:managedcluster:c1', 'system:bootstrappers:managedcluster-restricted'],
      },
      approved: true,
    },
    {
      whose: 'a holder of a join token for another cluster',
      request: {
        username: 'system:bootstrap:abcdef',
        groups: ['system:bootstrappers:managedcluster:c2', 'system:bootstrappers:managedcluster-restricted'],
      },
      approved: false,
    },
    {
      whose: 'the gRPC server of the hub',
      request: { username: 'system:serviceaccount:open-cluster-management-hub:grpc-server-sa' },
      approved: true,
    },
    {
      whose: 'the gRPC server of the hub, for its signer',
      request: {
        username: 'system:serviceaccount:open-cluster-management-hub:grpc-server-sa',
        signerName: 'open-cluster-management.io/grpc',
      },
      approved: true,
    },
    {
      whose: 'another one for the signer of gRPC',
      request: { signerName: 'open-cluster-management.io/grpc' },
      approved: false,
    },
    { whose: 'an account with a longer name', request: { username: `${bootstrapAccount}2` }, approved: false },
    { whose: 'another user', request: { username: 'eve' }, approved: false },
  ])('takes the request of $whose: $approved', ({ request, approved }) => {
    expect(approvedBy(planAcceptance(c1, [read(request)], anyone))).toEqual(approved ? ['r'] : []);
  });

  it('leaves requests that are decided, and says which', () => {
    const requests = [read({ name: 'yes', decision: 'Approved' }), read({ name: 'no', decision: 'Denied' })];
    expect(planAcceptance(c1, requests, anyone)).toEqual({
      kind: 'approve',
      approve: [],
      approved: ['yes'],
      denied: ['no'],
      held: [],
    });
  });

  it('asks an administrator when two agents wait, not when one of them is decided already', () => {
    const two = [read({ name: 'x', agent: 'a' }), read({ name: 'y', agent: 'b' })];
    const plan = planAcceptance(c1, two, anyone);
    expect(plan.kind === 'ambiguous' && plan.candidates.map(({ requester }) => requester)).toEqual([
      `${prefix}c1:a`,
      `${prefix}c1:b`,
    ]);
    expect(approvedBy(planAcceptance(c1, two, { ...anyone, requesters: [`${prefix}c1:b`] }))).toEqual(['y']);
    const decided = [read({ name: 'x', agent: 'a', decision: 'Denied' }), read({ name: 'y', agent: 'b' })];
    expect(approvedBy(planAcceptance(c1, decided, anyone))).toEqual(['y']);
  });

  it('asks an administrator when one common name waits with two keys, also if the name is chosen', () => {
    const two = [read({ name: 'x', key: 'k1' }), read({ name: 'y', key: 'k2' })];
    for (const requesters of [[], [`${prefix}c1:a`]]) {
      const plan = planAcceptance(c1, two, { ...anyone, requesters });
      expect(plan.kind === 'ambiguous' && plan.candidates.map(({ fingerprint }) => fingerprint)).toEqual(['k1', 'k2']);
    }
    expect(approvedBy(planAcceptance(c1, two, { ...anyone, request: 'y' }))).toEqual(['y']);
    expect(approvedBy(planAcceptance(c1, two, { ...anyone, fingerprint: 'k1' }))).toEqual(['x']);
    expect(planAcceptance(c1, two, { ...anyone, request: 'z' })).toEqual({ kind: 'no-such-request' });
    expect(planAcceptance(c1, two, { ...anyone, request: 'y', fingerprint: 'k1' })).toEqual({
      kind: 'no-such-request',
    });
    const again = [read({ name: 'x' }), read({ name: 'y' })];
    expect(approvedBy(planAcceptance(c1, again, anyone))).toEqual(['x', 'y']);
  });

  it('holds the requests of a cluster that has joined and reports, unless one is named', () => {
    const reporting = { name: 'c1', isReporting: true };
    const two = [read({ name: 'x', key: 'k1' }), read({ name: 'y', key: 'k2' })];
    expect(planAcceptance(reporting, two, anyone)).toMatchObject({ kind: 'approve', approve: [], held: ['x', 'y'] });
    expect(approvedBy(planAcceptance(reporting, two, { ...anyone, request: 'y' }))).toEqual(['y']);
  });

  // Names that begin, end or contain each other are the ones that careless comparisons mix up.
  const cluster = fc.constantFrom('c1', 'c10', 'c', '1', 'c1-c1', 'managed-clusters');
  const asked: fc.Arbitrary<Asked> = fc.record({
    name: fc.uuid(),
    label: cluster,
    cluster,
    agent: fc.constantFrom('a', 'b', 'a:b', ''),
    organization: cluster,
    signerName: fc.constantFrom(usual.signerName, 'kubernetes.io/kubelet-serving', 'example.com/own'),
    username: fc.constantFrom(
      bootstrapAccount,
      `${bootstrapAccount}x`,
      'system:bootstrap:ocmhub',
      'eve',
      `${prefix}c1:a`,
    ),
    groups: fc.subarray([bootstrapGroup, 'system:authenticated']),
    decision: fc.constantFrom(undefined, undefined, 'Approved', 'Denied'),
    alternativeNames: fc.boolean(),
    key: fc.constantFrom('k1', 'k2', 'k3'),
  });
  const requesterOf = ({ cluster: name, agent }: Asked) => `${prefix}${name}:${agent}`;

  it('approves nothing that does not speak of this cluster in label, name and organization alike, and of one key', () => {
    fc.assert(
      fc.property(
        cluster,
        fc.array(asked, { maxLength: 12 }),
        fc.subarray([`${prefix}c1:a`, `${prefix}c10:a`]),
        fc.boolean(),
        fc.option(fc.constantFrom('k1', 'k2'), { nil: undefined }),
        (accepted, all, requesters, anySender, fingerprint) => {
          const filter = { requesters, anySender, ...(fingerprint && { fingerprint }) };
          const plan = planAcceptance({ name: accepted, isReporting: false }, all.map(read), filter);
          const names = approvedBy(plan);
          const approved = all.filter(({ name }) => names.includes(name));
          for (const each of approved) {
            expect([each.label, each.cluster, each.organization]).toEqual([accepted, accepted, accepted]);
            expect(each).toMatchObject({ signerName: usual.signerName, decision: undefined, alternativeNames: false });
            if (!anySender) expect(['eve', `${bootstrapAccount}x`, `${prefix}c1:a`]).not.toContain(each.username);
            if (requesters.length > 0) expect(requesters).toContain(requesterOf(each));
            if (fingerprint) expect(each.key).toBe(fingerprint);
          }
          const holders = new Set(approved.map(requesterOf));
          if (requesters.length === 0) expect(holders.size).toBeLessThanOrEqual(1);
          // One key for each requester: a repeated common name gets nothing with another key.
          expect(new Set(approved.map((each) => `${requesterOf(each)} ${each.key}`)).size).toBe(holders.size);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('approves an honest request whatever else is there, unless another key claims the name', () => {
    fc.assert(
      fc.property(fc.array(asked, { maxLength: 8 }), (others) => {
        const all = [read({ name: 'honest' }), ...others.map(read)];
        const plan = planAcceptance(c1, all, anyone);
        if (plan.kind === 'ambiguous') {
          const claims = plan.candidates.map(({ requester, fingerprint }) => `${requester} ${fingerprint}`);
          expect(claims).toContain(`${prefix}c1:a k1`);
          expect(new Set(claims).size).toBeGreaterThan(1);
        } else expect(approvedBy(plan)).toContain('honest');
        expect(approvedBy(planAcceptance(c1, all, { ...anyone, request: 'honest' }))).toEqual(['honest']);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a request from before the cluster was created', () => {
  const cluster = { metadata: { name: 'c1', creationTimestamp: '2026-01-01T00:01:00Z' } };
  const approved = { conditions: [{ type: 'Approved', status: 'True' }] };
  it.each([
    ['was decided for an earlier cluster of that name', '2026-01-01T00:00:59Z', approved, true],
    [
      'is of this one, if it is not decided: its agent asked before it was created again',
      '2026-01-01T00:00:59Z',
      {},
      false,
    ],
    ['is of this one, if both came in one second', '2026-01-01T00:01:00Z', approved, false],
  ])('%s', (_title, creationTimestamp, status, expected) => {
    expect(isOfEarlierCluster({ metadata: { creationTimestamp }, status }, cluster)).toBe(expected);
  });
});
