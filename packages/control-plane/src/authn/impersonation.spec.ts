import { describe, expect, test } from 'vitest';
import { admin, createAuthServer, grant } from '../../fixtures/auth-server.ts';
import type { UserInfo } from '../contracts/user-info.ts';

const reviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const bot: UserInfo = { name: 'system:serviceaccount:team:bot', groups: ['system:authenticated'] };
const subjectRule = (verbs: string[], resources: string[], more: object = {}): object => ({
  verbs,
  apiGroups: [''],
  resources,
  ...more,
});

/** Who the request is taken for, or what it is refused with. */
async function ask(headers: Record<string, string>, user: UserInfo = admin, rules: readonly object[] = []) {
  const server = createAuthServer();
  grant(server, bot.name, rules);
  const { status, body } = await server.call('POST', reviews, { user, headers, body: {} });
  const { userInfo } = (body.status ?? {}) as { userInfo?: object };
  return userInfo ?? `${status} ${body.message}`;
}

describe('an administrator can impersonate', () => {
  const cases: Record<string, [Record<string, string>, object]> = {
    'another user, who counts as authenticated': [
      { 'impersonate-user': 'bob' },
      { username: 'bob', groups: ['system:authenticated'] },
    ],
    'a service account, with its groups': [
      { 'impersonate-user': 'system:serviceaccount:a:b' },
      {
        username: 'system:serviceaccount:a:b',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:a', 'system:authenticated'],
      },
    ],
    'a service account with other groups, if some are given': [
      { 'impersonate-user': 'system:serviceaccount:a:b', 'impersonate-group': 'g' },
      { username: 'system:serviceaccount:a:b', groups: ['g', 'system:authenticated'] },
    ],
    'a node, with its group': [
      { 'impersonate-user': 'system:node:n' },
      { username: 'system:node:n', groups: ['system:nodes', 'system:authenticated'] },
    ],
    'a user with groups, uid and more': [
      {
        'impersonate-user': 'bob',
        'impersonate-group': 'a, b',
        'impersonate-uid': '7',
        'impersonate-extra-scopes': 'view, edit',
        'impersonate-extra-acme.io%2fproject': 'x',
      },
      {
        username: 'bob',
        uid: '7',
        groups: ['a, b', 'system:authenticated'],
        extra: { scopes: ['view, edit'], 'acme.io/project': ['x'] },
      },
    ],
    'a master, by the old way': [
      { 'impersonate-user': 'bob', 'impersonate-group': 'system:masters' },
      { username: 'bob', groups: ['system:masters', 'system:authenticated'] },
    ],
  };
  test.each(Object.entries(cases))('%s', async (_, [headers, user]) => {
    expect(await ask(headers)).toEqual(user);
  });

  test('an unknown user, who then may do nothing', async () => {
    expect(await ask({ 'impersonate-user': 'system:anonymous' })).toMatch(
      /^403 .*User "system:anonymous" cannot create/,
    );
  });
});

describe('the old way needs the verb impersonate on', () => {
  const bob = { 'impersonate-user': 'bob' };
  const mayBeBob = subjectRule(['impersonate'], ['users'], { resourceNames: ['bob'] });
  // Without any permission the error is that of the constrained mode, which is tried first.
  const constrained = (verb: string, mode: string): string =>
    `403 selfsubjectreviews.authentication.k8s.io is forbidden: User "system:serviceaccount:team:bot" cannot impersonate-on:${mode}:${verb} resource "selfsubjectreviews" in API group "authentication.k8s.io" at the cluster scope`;

  test('the user', async () => {
    expect(await ask(bob, bot)).toBe(constrained('create', 'user-info'));
    expect(await ask({ 'impersonate-user': 'system:node:n' }, bot)).toBe(constrained('create', 'arbitrary-node'));
    expect(await ask(bob, bot, [mayBeBob])).toMatchObject({ username: 'bob' });
  });

  test('each group', async () => {
    const headers = { 'impersonate-user': 'system:serviceaccount:a:b', 'impersonate-group': 'g' };
    const account = subjectRule(['impersonate'], ['serviceaccounts']);
    expect(await ask(headers, bot)).toBe(
      '403 serviceaccounts "b" is forbidden: User "system:serviceaccount:team:bot" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "a"',
    );
    expect(await ask(headers, bot, [account])).toBe(
      '403 groups "g" is forbidden: User "system:serviceaccount:team:bot" cannot impersonate resource "groups" in API group "" at the cluster scope',
    );
    expect(await ask(headers, bot, [account, subjectRule(['impersonate'], ['groups'])])).toMatchObject({
      groups: ['g', 'system:authenticated'],
    });
  });

  test('the uid and each further value', async () => {
    const headers = {
      'impersonate-user': 'system:serviceaccount:a:b',
      'impersonate-uid': '7',
      'impersonate-extra-scopes': 'x',
    };
    const account = subjectRule(['impersonate'], ['serviceaccounts']);
    const more = (resources: string[]) =>
      subjectRule(['impersonate'], resources, { apiGroups: ['authentication.k8s.io'] });
    expect(await ask(headers, bot, [account])).toBe(
      '403 uids.authentication.k8s.io "7" is forbidden: User "system:serviceaccount:team:bot" cannot impersonate resource "uids" in API group "authentication.k8s.io" at the cluster scope',
    );
    expect(await ask(headers, bot, [account, more(['uids'])])).toBe(
      '403 userextras.authentication.k8s.io "x" is forbidden: User "system:serviceaccount:team:bot" cannot impersonate resource "userextras/scopes" in API group "authentication.k8s.io" at the cluster scope',
    );
    expect(await ask(headers, bot, [account, more(['uids', 'userextras/scopes'])])).toMatchObject({ uid: '7' });
  });
});

describe('a constrained way', () => {
  const subject = {
    verbs: ['impersonate:user-info'],
    apiGroups: ['authentication.k8s.io'],
    resources: ['users', 'groups'],
  };
  const action = {
    verbs: ['impersonate-on:user-info:create'],
    apiGroups: ['authentication.k8s.io'],
    resources: ['selfsubjectreviews'],
  };

  test('allows one who may be the user, and may do this as another', async () => {
    expect(await ask({ 'impersonate-user': 'bob' }, bot, [subject, action])).toMatchObject({ username: 'bob' });
    expect(await ask({ 'impersonate-user': 'bob' }, bot, [subject])).toMatch(/cannot impersonate-on:user-info:create/);
    expect(await ask({ 'impersonate-user': 'bob' }, bot, [action])).toMatch(
      /cannot impersonate:user-info resource "users"/,
    );
  });

  test('never makes a master', async () => {
    const headers = { 'impersonate-user': 'bob', 'impersonate-group': 'system:masters' };
    expect(await ask(headers, bot, [subject, action])).toBe(
      '403 groups.authentication.k8s.io "system:masters" is forbidden: User "system:serviceaccount:team:bot" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the system:masters group is not allowed',
    );
  });

  test('wants further values under names with a domain', async () => {
    const headers = { 'impersonate-user': 'bob', 'impersonate-extra-scopes': 'a' };
    expect(await ask(headers, bot, [subject, action])).toMatch(
      /impersonating an invalid key in extra is not allowed: extra.key: Invalid value: "scopes": must be a domain-prefixed path \(such as "acme.io\/foo"\)$/,
    );
  });

  test('lets a service account be the node it runs on', async () => {
    const onNode = { ...bot, extra: { 'authentication.kubernetes.io/node-name': ['n'] } };
    const own = [
      { verbs: ['impersonate:associated-node'], apiGroups: ['authentication.k8s.io'], resources: ['nodes'] },
      { ...action, verbs: ['impersonate-on:associated-node:create'] },
    ];
    expect(await ask({ 'impersonate-user': 'system:node:n' }, onNode, own)).toMatchObject({
      username: 'system:node:n',
    });
    expect(await ask({ 'impersonate-user': 'system:node:m' }, onNode, own)).toMatch(/^403 .*arbitrary-node/);
  });
});

test('groups without a user are refused', async () => {
  const headers = { 'impersonate-group': 'g', 'impersonate-uid': '5', 'impersonate-extra-foo': 'x' };
  expect(await ask(headers)).toBe(
    '400 requested &user.DefaultInfo{Name:"", UID:"5", Groups:[]string{"g"}, Extra:map[string][]string{"foo":[]string{"x"}}} without impersonating a user name',
  );
  expect(await ask({ 'impersonate-group': 'g' })).toBe(
    '400 requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"g"}, Extra:map[string][]string(nil)} without impersonating a user name',
  );
});
