import { describe, expect, it } from 'vitest';
import type { AddonRegistration } from '../contract/index.ts';
import { addonSubject, clusterSubject } from './subject.ts';

const defaultUser = 'system:open-cluster-management:cluster:c1:addon:work:agent:work';
const defaultGroup = 'system:open-cluster-management:cluster:c1:addon:work';
const kubeClient = (user: string, groups: string[] = []): AddonRegistration => ({
  type: 'kubeClient',
  driver: 'csr',
  addonName: 'work',
  user,
  groups,
});
const customSigner = (user: string, groups: string[] = [], organizationUnits: string[] = []): AddonRegistration => ({
  type: 'customSigner',
  signerName: 'example.com/s',
  addonName: 'work',
  user,
  groups,
  organizationUnits,
});

describe('whom a certificate names', () => {
  it.each<[string, AddonRegistration, { user: string; groups: string[]; organizationUnits: string[] }]>([
    ['no user', kubeClient(''), { user: defaultUser, groups: [defaultGroup], organizationUnits: [] }],
    ['a user', kubeClient('u'), { user: 'u', groups: [defaultGroup], organizationUnits: [] }],
    ['groups', kubeClient('', ['g']), { user: defaultUser, groups: ['g'], organizationUnits: [] }],
    ['a user and groups', kubeClient('u', ['g', 'h']), { user: 'u', groups: ['g', 'h'], organizationUnits: [] }],
    ['a signer', customSigner(''), { user: defaultUser, groups: [], organizationUnits: [] }],
    ['a signer and a user', customSigner('u'), { user: 'u', groups: [], organizationUnits: [] }],
    ['a signer and groups', customSigner('', ['g']), { user: defaultUser, groups: ['g'], organizationUnits: [] }],
    ['a signer and units', customSigner('', [], ['o']), { user: defaultUser, groups: [], organizationUnits: ['o'] }],
    ['a signer and all', customSigner('u', ['g'], ['o']), { user: 'u', groups: ['g'], organizationUnits: ['o'] }],
  ])('[registration-agent 19.9-95] for an add-on whose registration names %s', (_, registration, expected) => {
    const dnsNames = ['work.addon.open-cluster-management.io'];
    expect(addonSubject('c1', registration)).toEqual({ ...expected, dnsNames });
  });

  it('for an agent of a cluster', () => {
    expect(clusterSubject({ clusterName: 'c1', agentName: 'a1' })).toEqual({
      user: 'system:open-cluster-management:c1:a1',
      groups: ['system:open-cluster-management:c1', 'system:open-cluster-management:managed-clusters'],
      organizationUnits: [],
      dnsNames: [],
    });
  });
});
