import { describe, expect, test } from 'vitest';
import { type AuthServer, admin, createAuthServer, grant, messageOf } from '../../fixtures/auth-server.ts';

const root = '/apis/rbac.authorization.k8s.io/v1';
const apiGroup = 'rbac.authorization.k8s.io';
const jane = { name: 'jane', groups: ['devs', 'system:authenticated'] };
const writeRoles = { verbs: ['create', 'update', 'patch', 'get'], apiGroups: [apiGroup], resources: ['*'] };
const readPods = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };

function serverFor(...rules: object[]): AuthServer {
  const server = createAuthServer();
  grant(server, 'jane', [writeRoles, ...rules]);
  return server;
}

const createRole = (server: AuthServer, rules: readonly object[], more: object = {}) =>
  server.call('POST', `${root}/clusterroles`, { user: jane, body: { metadata: { name: 'new' }, rules, ...more } });

const createBinding = (server: AuthServer, role: string) =>
  server.call('POST', `${root}/clusterrolebindings`, {
    user: jane,
    body: { metadata: { name: 'new' }, roleRef: { apiGroup, kind: 'ClusterRole', name: role } },
  });

describe('a role', () => {
  test('may hold what its writer holds', async () => {
    expect((await createRole(serverFor(readPods), [readPods])).status).toBe(201);
  });

  test('cannot have more, which is reported line by line', async () => {
    const answer = await createRole(serverFor(), [
      { verbs: ['get', 'list'], apiGroups: ['', 'apps'], resources: ['pods'], resourceNames: ['a'] },
      { verbs: ['get'], nonResourceURLs: ['/foo'] },
    ]);
    expect(answer.status).toBe(403);
    expect(messageOf(answer)).toBe(
      [
        'clusterroles.rbac.authorization.k8s.io "new" is forbidden: user "jane" (groups=["devs" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:',
        '{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["get" "list"]}',
        '{APIGroups:["apps"], Resources:["pods"], ResourceNames:["a"], Verbs:["get" "list"]}',
        '{NonResourceURLs:["/foo"], Verbs:["get"]}',
      ].join('\n'),
    );
    expect(answer.body.details).toEqual({ name: 'new', group: apiGroup, kind: 'clusterroles' });
  });

  test('is not named in the refusal if its name is made up', async () => {
    const answer = await createRole(serverFor(), [readPods], { metadata: { generateName: 'new-' } });
    expect(messageOf(answer)).toMatch(/^clusterroles.rbac.authorization.k8s.io is forbidden: user "jane"/);
    expect(answer.body.details).toEqual({ group: apiGroup, kind: 'clusterroles' });
  });

  test('may hold anything if its writer may escalate, or is the master', async () => {
    const escalate = { verbs: ['escalate'], apiGroups: [apiGroup], resources: ['clusterroles'] };
    expect((await createRole(serverFor(escalate), [readPods])).status).toBe(201);
    const server = createAuthServer();
    const body = { metadata: { name: 'new' }, rules: [readPods] };
    expect((await server.call('POST', `${root}/clusterroles`, { user: admin, body })).status).toBe(201);
  });

  test('may escalate by name only where the name is known: in an update', async () => {
    const escalate = {
      verbs: ['escalate'],
      apiGroups: [apiGroup],
      resources: ['clusterroles'],
      resourceNames: ['new'],
    };
    const server = serverFor(escalate);
    expect((await createRole(server, [readPods])).status).toBe(403);
    server.put(`${apiGroup}/clusterroles`, {
      apiVersion: `${apiGroup}/v1`,
      kind: 'ClusterRole',
      metadata: { name: 'new' },
    });
    const body = { metadata: { name: 'new' }, rules: [readPods] };
    expect((await server.call('PUT', `${root}/clusterroles/new`, { user: jane, body })).status).toBe(200);
  });

  test('may gather others only if its writer has all permissions', async () => {
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
    const refused = await createRole(serverFor(), [], { aggregationRule });
    expect(messageOf(refused)).toBe(
      'clusterroles.rbac.authorization.k8s.io "new" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    );
    const allRules = [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ];
    expect((await createRole(serverFor(...allRules), [], { aggregationRule })).status).toBe(201);
  });

  test('in a namespace may hold what its writer holds there', async () => {
    const server = serverFor();
    grant(server, 'jane', [readPods], 'team');
    const create = (namespace: string) =>
      server.call('POST', `${root}/namespaces/${namespace}/roles`, {
        user: jane,
        body: { metadata: { name: 'new' }, rules: [readPods] },
      });
    expect((await create('team')).status).toBe(201);
    expect((await create('other')).status).toBe(403);
  });

  test('may lose an owner by a user who does not have its rules', async () => {
    const server = serverFor();
    const owned = {
      apiVersion: `${apiGroup}/v1`,
      kind: 'ClusterRole',
      metadata: { name: 'old', finalizers: ['a/b'] },
      rules: [readPods],
    };
    server.put(`${apiGroup}/clusterroles`, owned);
    const change = (patch: object) =>
      server.call('PATCH', `${root}/clusterroles/old`, {
        user: jane,
        headers: { 'content-type': 'application/merge-patch+json' },
        body: patch,
      });
    expect((await change({ metadata: { finalizers: null } })).status).toBe(200);
    expect((await change({ metadata: { labels: { a: 'b' } } })).status).toBe(403);
  });
});

describe('a binding', () => {
  test('may refer to a role whose rules its writer holds', async () => {
    const server = serverFor(readPods);
    server.put(`${apiGroup}/clusterroles`, { metadata: { name: 'reader' }, ...{ rules: [readPods] } });
    expect((await createBinding(server, 'reader')).status).toBe(201);
  });

  test('may refer to any role its writer may bind', async () => {
    const bind = {
      verbs: ['bind'],
      apiGroups: [apiGroup],
      resources: ['clusterroles'],
      resourceNames: ['cluster-admin'],
    };
    expect((await createBinding(serverFor(bind), 'cluster-admin')).status).toBe(201);
    expect((await createBinding(serverFor(bind), 'edit')).status).toBe(403);
  });

  test('cannot refer to another', async () => {
    const answer = await createBinding(serverFor(), 'cluster-admin');
    expect(messageOf(answer)).toBe(
      [
        'clusterrolebindings.rbac.authorization.k8s.io "new" is forbidden: user "jane" (groups=["devs" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:',
        '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}',
        '{NonResourceURLs:["*"], Verbs:["*"]}',
      ].join('\n'),
    );
  });

  test('cannot refer to a role that does not exist, unless its writer may bind it', async () => {
    const answer = await createBinding(serverFor(), 'nope');
    expect(answer.status).toBe(404);
    expect(messageOf(answer)).toBe('clusterrolebindings.rbac.authorization.k8s.io "nope" not found');
    const bind = { verbs: ['bind'], apiGroups: [apiGroup], resources: ['clusterroles'] };
    expect((await createBinding(serverFor(bind), 'nope')).status).toBe(201);
  });
});
