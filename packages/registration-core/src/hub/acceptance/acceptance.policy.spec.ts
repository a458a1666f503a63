import type { Condition } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { newCluster } from '../fixtures/running-hub.ts';
import { type AcceptanceFacts, decide } from './acceptance.policy.ts';

const holder = { name: 'other', identity: 'kube-system uid 1' };
const facts = (parts: Partial<AcceptanceFacts> = {}): AcceptanceFacts => ({
  autoApproval: false,
  drivers: [],
  holder: undefined,
  hasRole: false,
  ...parts,
});
const cluster = (hubAcceptsClient: boolean, said?: Condition['status'], metadata = {}) => {
  const condition = { type: 'HubAcceptedManagedCluster', reason: 'x', message: '', lastTransitionTime: '' };
  const conditions = said ? [{ ...condition, status: said }] : [];
  return newCluster('c1', { metadata, spec: { hubAcceptsClient }, status: { conditions } });
};
const deletionTimestamp = '2026-01-01T00:00:00Z';
const asked = { annotations: { 'open-cluster-management.io/automatically-accepted-on': deletionTimestamp } };
const no = { accepts: () => false };
const yes = { accepts: () => true };

describe('the decision about a cluster', () => {
  it.each([
    ['nobody decided', cluster(false), facts(), 'wait'],
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
      'the gate is open and all drivers agree',
      cluster(false),
      facts({ autoApproval: true, drivers: [yes, yes] }),
      'auto-accept',
    ],
    [
      'the gate is open and a driver does not agree',
      cluster(false),
      facts({ autoApproval: true, drivers: [yes, no] }),
      'wait',
    ],
    [
      'the gate is open and it was accepted before',
      cluster(false, 'True', asked),
      facts({ autoApproval: true }),
      'deny',
    ],
    ['another holds its identity', cluster(true), facts({ holder }), 'refuse'],
    ['another holds its identity and nobody decided', cluster(false), facts({ holder, autoApproval: true }), 'wait'],
    ['another holds its identity and it is in', cluster(true, 'True'), facts({ holder }), 'accept'],
    ['another holds its identity and its acceptance failed', cluster(false, 'False'), facts({ holder }), 'deny'],
  ])('%s', (_, subject, given, decision) => {
    expect(decide(subject, given)).toBe(decision);
  });
});
