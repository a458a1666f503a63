import { describe, expect, it } from 'vitest';
import { registeredIdentity } from './add-on-identity.ts';

const prefix = 'system:open-cluster-management:cluster:c1:addon:a';
const addOn = (kubeClient?: object, type = 'kubeClient') => ({
  metadata: { namespace: 'c1', name: 'a' },
  status: { registrations: [{ type: type as 'kubeClient', ...(kubeClient && { kubeClient }) }] },
});

describe('the identity that an add-on registered', () => {
  it('has the names of Open Cluster Management where it names none', () => {
    expect(registeredIdentity(addOn({}))).toEqual({ identity: { user: `${prefix}:agent:a`, groups: [prefix] } });
  });

  it('is what it names, without the group that all users are in', () => {
    const groups = ['system:open-cluster-management:addon:a', prefix, 'system:authenticated'];
    const subject = { user: `${prefix}:agent:other`, groups };
    expect(registeredIdentity(addOn({ driver: 'csr', subject }))).toEqual({
      identity: { user: `${prefix}:agent:other`, groups: groups.slice(0, 2) },
    });
  });

  it.each([
    ['there is no registration', { metadata: { namespace: 'c1', name: 'a' } }],
    ['it is of another type', addOn(undefined, 'customSigner')],
    ['it is empty', addOn()],
  ])('is none if %s', (_, given) => {
    expect(registeredIdentity(given)).toBeUndefined();
  });

  it.each([
    ['an administrator', { user: 'system:admin' }, /subject\.user is "system:admin"/],
    ['an add-on of another cluster', { user: 'system:open-cluster-management:cluster:c2:addon:a:agent:a' }, /user/],
    ['another add-on', { user: 'system:open-cluster-management:cluster:c1:addon:ab:agent:a' }, /user/],
    ['an agent without a name', { user: `${prefix}:agent:` }, /user/],
    ['more than an agent', { user: `${prefix}:agent:a:b` }, /user/],
    ['the agent of the cluster', { user: 'system:open-cluster-management:c1:agent' }, /user/],
    ['all rights', { groups: [prefix, 'system:masters'] }, /subject\.groups has "system:masters"/],
    ['the group of another add-on', { groups: ['system:open-cluster-management:addon:b'] }, /groups/],
    ['the group of the cluster', { groups: ['system:open-cluster-management:c1'] }, /groups/],
  ])('is refused if it names %s', (_, subject, message) => {
    expect(registeredIdentity(addOn({ subject }))).toEqual({ refused: expect.stringMatching(message) });
  });

  it('is refused if it is that of a service account, which has a token', () => {
    expect(registeredIdentity(addOn({ driver: 'token' }))).toEqual({ refused: expect.stringContaining('driver') });
  });
});
