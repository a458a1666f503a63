import type { Condition } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { newCluster } from '../fixtures/running-hub.ts';
import { type AcceptanceFacts, decide } from './acceptance.policy.ts';

const yes = { accepts: () => 'accept' as const };
const holder = { name: 'other', identity: 'kube-system uid 1' };
const facts = (parts: Partial<AcceptanceFacts> = {}): AcceptanceFacts => ({
  autoApproval: false,
  drivers: [yes],
  duplicateIdentity: 'warn',
  holder: undefined,
  isPreceded: false,
  hasRole: false,
  ...parts,
});
const cluster = (hubAcceptsClient: boolean, said?: Condition['status'], metadata = {}) => {
  const condition = { type: 'HubAcceptedManagedCluster', reason: 'x', message: '', lastTransitionTime: '' };
  const conditions = said ? [{ ...condition, status: said }] : [];
  return newCluster('c1', { metadata, spec: { hubAcceptsClient }, status: { conditions } });
};
const named = (subject: ReturnType<typeof cluster>, name: string) => ({
  ...subject,
  metadata: { ...subject.metadata, name },
});
const deletionTimestamp = '2026-01-01T00:00:00Z';
const asked = { annotations: { 'open-cluster-management.io/automatically-accepted-on': deletionTimestamp } };
const no = { accepts: () => 'refuse' as const };
const other = { accepts: () => 'not mine' as const };

describe('the decision about a cluster', () => {
  it.each([
    ['it is not decided', cluster(false), facts(), 'wait'],
    ['an administrator accepts', cluster(true), facts(), 'accept'],
    ['it is accepted', cluster(true, 'True'), facts(), 'accept'],
    ['an administrator changed their mind', cluster(false, 'True'), facts(), 'deny'],
    [
      'an administrator changed their mind, and its agent took the condition away',
      cluster(false),
      facts({ hasRole: true }),
      'deny',
    ],
    ['it is denied', cluster(false, 'False'), facts(), 'deny'],
    ['it is denied and accepted again', cluster(true, 'False'), facts(), 'accept'],
    ['it is deleted', cluster(true, 'True', { deletionTimestamp }), facts(), 'remove'],
    ['the gate is open', cluster(false), facts({ autoApproval: true }), 'auto-accept'],
    [
      'the gate is open and a driver claims it',
      cluster(false),
      facts({ autoApproval: true, drivers: [other, yes] }),
      'auto-accept',
    ],
    [
      'the gate is open and a driver refuses it',
      cluster(false),
      facts({ autoApproval: true, drivers: [yes, no] }),
      'wait',
    ],
    [
      'the gate is open and no driver claims it',
      cluster(false),
      facts({ autoApproval: true, drivers: [other] }),
      'wait',
    ],
    ['the gate is open and there is no driver', cluster(false), facts({ autoApproval: true, drivers: [] }), 'wait'],
    [
      'the gate is open and it was accepted before',
      cluster(false, 'True', asked),
      facts({ autoApproval: true }),
      'deny',
    ],
    [
      'another holds its identity, and duplicates are refused',
      cluster(true),
      facts({ holder, duplicateIdentity: 'refuse' }),
      'refuse-identity',
    ],
    ['another holds its identity, and an administrator accepts it', cluster(true), facts({ holder }), 'accept'],
    [
      'another of its identity asked before, and the gate is open',
      cluster(false),
      facts({ isPreceded: true, autoApproval: true }),
      'wait',
    ],
    [
      'another of its identity asked before, and an administrator accepts it',
      cluster(true),
      facts({ isPreceded: true, autoApproval: true }),
      'auto-accept',
    ],
    ['another holds its identity and it is not decided', cluster(false), facts({ holder, autoApproval: true }), 'wait'],
    ['another holds its identity and it is in', cluster(true, 'True'), facts({ holder }), 'accept'],
    ['another holds its identity and its acceptance failed', cluster(false, 'False'), facts({ holder }), 'deny'],
    ['its name is reserved', named(cluster(true), 'kube-system'), facts({ autoApproval: true }), 'refuse-name'],
    ['its name is reserved and it is not decided', named(cluster(false), 'default'), facts(), 'refuse-name'],
    ['its name is reserved and it is in', named(cluster(true, 'True'), 'default'), facts(), 'accept'],
    ['its name is reserved and it is denied', named(cluster(false, 'True'), 'default'), facts(), 'deny'],
    ['its role is shared and it is in', named(cluster(true, 'True'), 'work'), facts({ hasRole: true }), 'refuse-name'],
    ['its role is shared and it is denied', named(cluster(false, 'True'), 'work'), facts(), 'refuse-name'],
    [
      'its name is reserved and it was denied before',
      named(cluster(false), 'default'),
      facts({ hasRole: true }),
      'deny',
    ],
  ])('%s', (_, subject, given, decision) => {
    expect(decide(subject, given)).toBe(decision);
  });
});
