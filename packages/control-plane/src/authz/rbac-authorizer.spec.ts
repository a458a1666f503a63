import type { KubeObject } from '@flotilla/schema';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type { Attributes } from '../contracts/authorizer.ts';
import type { BindingObject, RbacSubject, RoleObject } from '../contracts/rbac-objects.ts';
import type { Storage } from '../contracts/storage.ts';
import type { UserInfo } from '../contracts/user-info.ts';
import { createStorage } from '../storage/memory-storage.ts';
import { BindingIndex, boundSubject } from './binding-index.ts';
import { createRbacAuthorizer } from './rbac-authorizer.ts';
import { createRuleResolver } from './rule-resolver.ts';

const apiGroup = 'rbac.authorization.k8s.io';
const getPods = (namespace?: string): Attributes => ({
  kind: 'resource',
  verb: 'get',
  group: '',
  version: 'v1',
  resource: 'pods',
  ...(namespace && { namespace }),
});
const jane: UserInfo = { name: 'jane', groups: ['devs', 'system:authenticated'] };

function createWorld(storage: Storage = createStorage()) {
  const authorizer = createRbacAuthorizer(createRuleResolver(storage, new BindingIndex(storage)));
  return {
    storage,
    reasonFor: (user: UserInfo, asked: Attributes) => authorizer.authorize(user, asked),
    role(name: string, namespace?: string): void {
      const role: RoleObject = {
        metadata: { name, ...(namespace && { namespace }) },
        rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
      };
      if (namespace) storage.put(`${apiGroup}/roles`, `${namespace}/${name}`, role);
      else storage.put(`${apiGroup}/clusterroles`, name, role);
    },
    bind(name: string, role: string, subjects: RbacSubject[], namespace?: string, kind = 'ClusterRole'): void {
      const metadata = { name, ...(namespace && { namespace }) };
      const binding: BindingObject = { metadata, roleRef: { apiGroup, kind, name: role }, subjects };
      if (namespace) storage.put(`${apiGroup}/rolebindings`, `${namespace}/${name}`, binding);
      else storage.put(`${apiGroup}/clusterrolebindings`, name, binding);
    },
  };
}

describe('a decision names as its reason', () => {
  test('the cluster-wide binding and the group it binds', () => {
    const { role, bind, reasonFor } = createWorld();
    role('reader');
    bind('readers', 'reader', [{ kind: 'Group', name: 'devs' }]);
    const reason = 'RBAC: allowed by ClusterRoleBinding "readers" of ClusterRole "reader" to Group "devs"';
    expect(reasonFor(jane, getPods('x'))).toEqual({ allowed: true, reason });
    expect(reasonFor(jane, getPods())).toEqual({ allowed: true, reason });
  });

  test('the binding of the namespace, and a service account of that namespace if none is said', () => {
    const { role, bind, reasonFor } = createWorld();
    role('local', 'team');
    bind('locals', 'local', [{ kind: 'ServiceAccount', name: 'bot' }], 'team', 'Role');
    const bot = { name: 'system:serviceaccount:team:bot', groups: [] };
    expect(reasonFor(bot, getPods('team'))).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "locals/team" of Role "local" to ServiceAccount "bot/team"',
    });
    expect(reasonFor(bot, getPods('other'))).toEqual({ allowed: false, reason: '' });
    expect(reasonFor(bot, getPods())).toEqual({ allowed: false, reason: '' });
  });

  test('the roles that are missing, each once', () => {
    const { bind, reasonFor } = createWorld();
    bind('a', 'gone', [{ kind: 'User', name: 'jane' }]);
    bind('b', 'gone', [{ kind: 'Group', name: 'devs' }]);
    expect(reasonFor(jane, getPods()).reason).toBe(`RBAC: clusterrole.${apiGroup} "gone" not found`);
    bind('c', 'lost', [{ kind: 'User', name: 'jane' }], 'team', 'Role');
    expect(reasonFor(jane, getPods('team')).reason).toBe(
      `RBAC: [clusterrole.${apiGroup} "gone" not found, role.${apiGroup} "lost" not found]`,
    );
  });

  test('nothing for system:masters, who may do all', () => {
    const { reasonFor } = createWorld();
    expect(reasonFor({ name: 'root', groups: ['system:masters'] }, getPods())).toEqual({ allowed: true, reason: '' });
  });
});

test('a right ends with its binding, with its role, and with the subject being taken out', () => {
  const { storage, role, bind, reasonFor } = createWorld();
  const may = () => reasonFor(jane, getPods()).allowed;
  role('reader');
  bind('readers', 'reader', [{ kind: 'User', name: 'jane' }]);
  expect(may()).toBe(true);
  bind('readers', 'reader', [{ kind: 'User', name: 'john' }]);
  expect(may()).toBe(false);
  bind('readers', 'reader', [{ kind: 'User', name: 'jane' }]);
  storage.delete(`${apiGroup}/clusterroles`, 'reader');
  expect(may()).toBe(false);
  role('reader');
  expect(may()).toBe(true);
  storage.delete(`${apiGroup}/clusterrolebindings`, 'readers');
  expect(may()).toBe(false);
});

test('bindings that were there before the index are in it', () => {
  const before = createWorld();
  before.role('reader');
  before.bind('readers', 'reader', [{ kind: 'User', name: 'jane' }], 'team');
  expect(createWorld(before.storage).reasonFor(jane, getPods('team')).allowed).toBe(true);
});

test('a decision reads the bindings of its user only, however many there are', () => {
  const storage = createStorage();
  const reads = vi.spyOn(storage, 'get');
  const { role, bind, reasonFor } = createWorld(storage);
  role('reader');
  for (let index = 0; index < 10_000; index++) bind(`b${index}`, 'reader', [{ kind: 'User', name: `user${index}` }]);
  reads.mockClear();
  expect(reasonFor({ name: 'user7000', groups: ['system:authenticated'] }, getPods('x')).allowed).toBe(true);
  expect(reasonFor(jane, getPods('x')).allowed).toBe(false);
  expect(reads.mock.calls.length).toBe(1);
});

const subject: fc.Arbitrary<RbacSubject> = fc.oneof(
  fc.record({ kind: fc.constant('User'), name: fc.constantFrom('u1', 'u2', 'system:serviceaccount:n1:s1') }),
  fc.record({ kind: fc.constant('Group'), name: fc.constantFrom('g1', 'g2') }),
  fc.record({
    kind: fc.constant('ServiceAccount'),
    name: fc.constantFrom('s1', 's2'),
    namespace: fc.constantFrom('', 'n1', 'n2'),
  }),
);
const step = fc.record({
  key: fc.constantFrom('a', 'b', 'n1/a', 'n1/b', 'n2/a'),
  subjects: fc.array(subject, { maxLength: 3 }),
  remove: fc.boolean(),
});

test('the index finds the same as a scan of all bindings, after any writes', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 25 }),
      fc.constantFrom('u1', 'system:serviceaccount:n1:s1', 'system:serviceaccount:n2:s2'),
      fc.subarray(['g1', 'g2']),
      fc.constantFrom(undefined, 'n1', 'n2', 'n3'),
      (steps, name, groups, namespace) => {
        const storage = createStorage();
        const index = new BindingIndex(storage);
        for (const { key, subjects, remove } of steps) {
          const resource = `${apiGroup}/${key.includes('/') ? 'rolebindings' : 'clusterrolebindings'}`;
          if (remove && storage.get(resource, key)) storage.delete(resource, key);
          else storage.put(resource, key, bindingAt(key, subjects));
        }
        const user = { name, groups };
        const all = [
          ...storage.list(`${apiGroup}/clusterrolebindings`),
          ...(namespace ? storage.list(`${apiGroup}/rolebindings`, namespace) : []),
        ];
        const expected = all.filter((binding) => boundSubject(binding as BindingObject, user));
        expect(new Set(index.of(user, namespace))).toEqual(new Set(expected));
      },
    ),
  );
});

function bindingAt(key: string, subjects: RbacSubject[]): KubeObject {
  const [first = '', second] = key.split('/');
  const binding: BindingObject = {
    metadata: second === undefined ? { name: first } : { name: second, namespace: first },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'x' },
    subjects,
  };
  return binding;
}
