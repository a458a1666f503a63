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
    ['an agent with a blank', { user: `${prefix}:agent:a b` }, /user/],
    ['an agent with a character that is not ASCII', { user: `${prefix}:agent:\u00e4` }, /user/],
    ['an agent with a control character', { user: `${prefix}:agent:a\u007f` }, /user/],
    ['an agent of 254 characters', { user: `${prefix}:agent:${'a'.repeat(254)}` }, /1 to 253 printable ASCII/],
    ['the agent of the cluster', { user: 'system:open-cluster-management:c1:agent' }, /user/],
    ['all rights', { groups: [prefix, 'system:masters'] }, /subject\.groups has "system:masters"/],
    ['the group of another add-on', { groups: ['system:open-cluster-management:addon:b'] }, /groups/],
    ['the group of the cluster', { groups: ['system:open-cluster-management:c1'] }, /groups/],
  ])('is refused if it names %s', (_, subject, message) => {
    expect(registeredIdentity(addOn({ subject }))).toEqual({ refused: expect.stringMatching(message) });
  });

  it('has an agent of up to 253 characters, and each group once', () => {
    const user = `${prefix}:agent:${'~'.repeat(253)}`;
    const groups = Array.from({ length: 1000 }, () => prefix);
    expect(registeredIdentity(addOn({ subject: { user, groups } }))).toEqual({ identity: { user, groups: [prefix] } });
  });

  it.each([
    ['user', { user: `${prefix}:agent:${'a'.repeat(1_000_000)}` }],
    ['group', { groups: ['g'.repeat(1_000_000)] }],
  ])('is refused in a short text if it has a %s of a million characters', (_, subject) => {
    const registered = registeredIdentity(addOn({ subject }));
    expect(JSON.stringify(registered)).toMatch(/^\{"refused":.{1,700}$/);
  });

  it('is refused if it is that of a service account, which has a token', () => {
    expect(registeredIdentity(addOn({ driver: 'token' }))).toEqual({ refused: expect.stringContaining('driver') });
  });
});
