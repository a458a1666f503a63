import type { RequestedSubject } from '@flotilla/driver-csr';
import type { CertificateSigningRequest } from '@flotilla/kube';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planAcceptance, type ReadRequest } from './accept.policy.ts';

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
};

const read = (asked: Partial<Asked> = {}): ReadRequest => {
  const { name, label, cluster, agent, organization, signerName, username, groups, decision, alternativeNames } = {
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
      whose: 'the gRPC server of the hub',
      request: { username: 'system:serviceaccount:open-cluster-management-hub:grpc-server-sa' },
      approved: true,
    },
    { whose: 'an account with a longer name', request: { username: `${bootstrapAccount}2` }, approved: false },
    { whose: 'somebody else', request: { username: 'eve' }, approved: false },
  ])('takes the request of $whose: $approved', ({ request, approved }) => {
    expect(approvedBy(planAcceptance('c1', [read(request)], anyone))).toEqual(approved ? ['r'] : []);
  });

  it('leaves requests alone that are decided, and tells which', () => {
    const requests = [read({ name: 'yes', decision: 'Approved' }), read({ name: 'no', decision: 'Denied' })];
    expect(planAcceptance('c1', requests, anyone)).toEqual({
      kind: 'approve',
      approve: [],
      approved: ['yes'],
      denied: ['no'],
    });
  });

  it('asks a person when two agents wait, not when one of them is decided already', () => {
    const two = [read({ name: 'x', agent: 'a' }), read({ name: 'y', agent: 'b' })];
    expect(planAcceptance('c1', two, anyone)).toEqual({
      kind: 'ambiguous',
      requesters: [`${prefix}c1:a`, `${prefix}c1:b`],
    });
    expect(approvedBy(planAcceptance('c1', two, { ...anyone, requesters: [`${prefix}c1:b`] }))).toEqual(['y']);
    const decided = [read({ name: 'x', agent: 'a', decision: 'Denied' }), read({ name: 'y', agent: 'b' })];
    expect(approvedBy(planAcceptance('c1', decided, anyone))).toEqual(['y']);
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
  });
  const requesterOf = ({ cluster: name, agent }: Asked) => `${prefix}${name}:${agent}`;

  it('approves nothing that does not speak of this cluster in label, name and organization alike, and of one requester', () => {
    fc.assert(
      fc.property(
        cluster,
        fc.array(asked, { maxLength: 12 }),
        fc.subarray([`${prefix}c1:a`, `${prefix}c10:a`]),
        fc.boolean(),
        (accepted, all, requesters, anySender) => {
          const plan = planAcceptance(accepted, all.map(read), { requesters, anySender });
          const names = approvedBy(plan);
          const approved = all.filter(({ name }) => names.includes(name));
          for (const each of approved) {
            expect([each.label, each.cluster, each.organization]).toEqual([accepted, accepted, accepted]);
            expect(each).toMatchObject({ signerName: usual.signerName, decision: undefined, alternativeNames: false });
            if (!anySender) expect(['eve', `${bootstrapAccount}x`, `${prefix}c1:a`]).not.toContain(each.username);
            if (requesters.length > 0) expect(requesters).toContain(requesterOf(each));
          }
          if (requesters.length === 0) expect(new Set(approved.map(requesterOf)).size).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('approves an honest request whatever else is there, unless another agent claims the name', () => {
    fc.assert(
      fc.property(fc.array(asked, { maxLength: 8 }), (others) => {
        const plan = planAcceptance('c1', [read({ name: 'honest' }), ...others.map(read)], anyone);
        if (plan.kind === 'ambiguous') expect(plan.requesters).toContain(`${prefix}c1:a`);
        else expect(approvedBy(plan)).toContain('honest');
      }),
      { numRuns: 500 },
    );
  });
});
