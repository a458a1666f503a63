import { FakeClock } from '@flotilla/kube/testing';
import type { KubeObject } from '@flotilla/schema';
import { describe, expect, test } from 'vitest';
import type { BindingObject, RoleObject } from '../contracts/rbac-objects.ts';
import type { Storage } from '../contracts/storage.ts';
import { createStorage } from '../storage/memory-storage.ts';
import { aggregatedRules } from './aggregation.ts';
import { applyBootstrapPolicy } from './bootstrap-policy.ts';

const roles = 'rbac.authorization.k8s.io/clusterroles';
const bindings = 'rbac.authorization.k8s.io/clusterrolebindings';

function start(storage: Storage = createStorage()): Storage {
  let count = 0;
  applyBootstrapPolicy({ storage, clock: new FakeClock(), newUid: () => `uid-${++count}` });
  return storage;
}

const roleIn = (storage: Storage, name: string): RoleObject => storage.get(roles, name) ?? {};
const bindingIn = (storage: Storage, name: string) => storage.get(bindings, name) as BindingObject;

describe('the default policy', () => {
  test('has the roles that users expect, with what the server adds to objects', () => {
    const storage = start();
    const names = storage.list(roles).map(({ metadata }) => metadata?.name);
    expect(names).toEqual(
      expect.arrayContaining([
        'cluster-admin',
        'admin',
        'edit',
        'view',
        'system:basic-user',
        'system:discovery',
        'system:public-info-viewer',
        'system:auth-delegator',
        'system:node-bootstrapper',
        'system:service-account-issuer-discovery',
        'system:certificates.k8s.io:kube-apiserver-client-approver',
      ]),
    );
    expect(storage.get(roles, 'cluster-admin')).toMatchObject({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: {
        uid: expect.any(String),
        creationTimestamp: '2026-01-01T00:00:00Z',
        labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
      },
      rules: [
        { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
        { verbs: ['*'], nonResourceURLs: ['*'] },
      ],
    });
  });

  test('gathers view into edit and both into admin', () => {
    const storage = start();
    const [view, edit, admin] = ['view', 'edit', 'admin'].map((name) => roleIn(storage, name).rules ?? []);
    expect(view?.length).toBeGreaterThan(5);
    expect(edit).toEqual(expect.arrayContaining([...(view ?? [])]));
    expect(admin).toEqual(expect.arrayContaining([...(edit ?? [])]));
    expect(admin?.length).toBeGreaterThan(edit?.length ?? 0);
  });

  test('writes nothing at a second start', () => {
    const storage = start();
    const { revision } = storage;
    expect(start(storage).revision).toBe(revision);
  });

  test('brings back what was taken away and leaves what was added', () => {
    const storage = start();
    const own = { verbs: ['get'], apiGroups: ['example.com'], resources: ['things'] };
    const changed: RoleObject = { ...roleIn(storage, 'system:basic-user'), rules: [own] };
    storage.put(roles, 'system:basic-user', changed);
    const jane = { kind: 'User', name: 'jane' };
    const emptied: BindingObject = { ...bindingIn(storage, 'system:discovery'), subjects: [jane] };
    storage.put(bindings, 'system:discovery', emptied);
    start(storage);
    const rules = roleIn(storage, 'system:basic-user').rules ?? [];
    expect(rules).toContainEqual(own);
    expect(rules).toContainEqual({
      verbs: ['create'],
      apiGroups: ['authorization.k8s.io'],
      resources: ['selfsubjectaccessreviews'],
    });
    expect(bindingIn(storage, 'system:discovery').subjects).toEqual([
      jane,
      { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'system:authenticated' },
    ]);
  });

  test('leaves alone what is marked not to be updated', () => {
    const storage = start();
    const role = roleIn(storage, 'system:basic-user');
    const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' };
    const frozen: RoleObject = { ...role, metadata: { ...role.metadata, annotations }, rules: [] };
    storage.put(roles, 'system:basic-user', frozen);
    start(storage);
    expect(roleIn(storage, 'system:basic-user').rules).toEqual([]);
  });

  test('replaces a binding that was pointed to another role', () => {
    const storage = start();
    const present = bindingIn(storage, 'system:discovery');
    const turned: BindingObject = { ...present, roleRef: { ...present.roleRef, name: 'cluster-admin' } };
    storage.put(bindings, 'system:discovery', turned);
    start(storage);
    expect(bindingIn(storage, 'system:discovery').roleRef.name).toBe('system:discovery');
  });
});

test('a role gathers the rules its selectors choose: by name, each once, never its own', () => {
  const rule = (verb: string) => ({ verbs: [verb], apiGroups: [''], resources: ['pods'] });
  const role = (name: string, label: string, ...verbs: string[]): RoleObject => ({
    metadata: { name, labels: { [label]: 'true' } },
    rules: verbs.map(rule),
  });
  const gatherer: RoleObject & KubeObject = {
    ...role('all', 'a', 'delete'),
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'true' } }, { matchLabels: { b: 'true' } }] },
  };
  const others = [
    role('z', 'a', 'get', 'list'),
    role('y', 'a', 'watch', 'get'),
    role('x', 'b', 'list', 'patch'),
    role('w', 'c', 'update'),
  ];
  expect(aggregatedRules(gatherer, [gatherer, ...others])).toEqual(['watch', 'get', 'list', 'patch'].map(rule));
  expect(aggregatedRules(role('plain', 'a', 'get'), others)).toBeUndefined();
});
