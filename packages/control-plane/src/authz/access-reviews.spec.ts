import { describe, expect, test } from 'vitest';
import { admin, createAuthServer, grant } from '../../fixtures/auth-server.ts';

const root = '/apis/authorization.k8s.io/v1';
const jane = { name: 'jane', groups: ['system:authenticated'] };

describe('an access review', () => {
  test('reports whether a user may do something, and by which binding', async () => {
    const server = createAuthServer();
    const spec = {
      user: 'bob',
      groups: ['system:authenticated'],
      nonResourceAttributes: { verb: 'get', path: '/api' },
    };
    const answer = await server.call('POST', `${root}/subjectaccessreviews`, { user: admin, body: { spec } });
    expect(answer).toEqual({
      status: 201,
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        metadata: {},
        spec,
        status: {
          allowed: true,
          reason:
            'RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "system:authenticated"',
        },
      },
    });
  });

  test('about oneself needs no user, and no permission but that of all users', async () => {
    const server = createAuthServer();
    grant(server, 'jane', [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }], 'team');
    const may = async (namespace: string) => {
      const spec = { resourceAttributes: { verb: 'get', resource: 'pods', namespace } };
      const { body } = await server.call('POST', `${root}/selfsubjectaccessreviews`, { user: jane, body: { spec } });
      return body.status;
    };
    expect(await may('team')).toMatchObject({ allowed: true });
    expect(await may('other')).toEqual({ allowed: false });
  });

  test('in a namespace takes the namespace from the path', async () => {
    const server = createAuthServer();
    const spec = { user: 'bob', resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'team' } };
    const path = `${root}/namespaces/team/localsubjectaccessreviews`;
    const { status, body } = await server.call('POST', path, { user: admin, body: { spec } });
    expect(status).toBe(201);
    expect(body).toMatchObject({ metadata: { namespace: 'team' }, status: { allowed: false } });
  });

  test('reports which selectors it could not parse', async () => {
    const server = createAuthServer();
    const fieldSelector = { rawSelector: 'a b' };
    const labelSelector = {
      requirements: [
        { key: 'x', operator: 'Foo' },
        { key: 'y', operator: 'Exists' },
      ],
    };
    const spec = { user: 'a', resourceAttributes: { verb: 'list', resource: 'pods', fieldSelector, labelSelector } };
    const { body } = await server.call('POST', `${root}/subjectaccessreviews`, { user: admin, body: { spec } });
    expect(body.status).toEqual({
      allowed: false,
      evaluationError:
        'spec.resourceAttributes.fieldSelector ignored due to parse error; spec.resourceAttributes.labelSelector partially ignored due to parse error',
    });
  });

  test('takes the label selectors of lists, also those that compare numbers', async () => {
    const server = createAuthServer();
    const labelSelector = { rawSelector: 'tier>2,app in ()' };
    const spec = { user: 'a', resourceAttributes: { verb: 'list', resource: 'pods', labelSelector } };
    const { body } = await server.call('POST', `${root}/subjectaccessreviews`, { user: admin, body: { spec } });
    expect(body.status).toEqual({ allowed: false });
  });

  test('can only be created', async () => {
    const server = createAuthServer();
    expect((await server.call('GET', `${root}/subjectaccessreviews`, { user: admin })).status).toBe(405);
    expect((await server.call('GET', `${root}/subjectaccessreviews/a`, { user: admin })).status).toBe(404);
    expect((await server.call('POST', `${root}/localsubjectaccessreviews`, { user: admin, body: {} })).status).toBe(
      404,
    );
  });
});

describe('an access review is refused', () => {
  const bob = { user: 'bob' };
  const cases: Record<string, { path?: string; body: object; message: string }> = {
    'without anything to ask': {
      body: { spec: { ...bob } },
      message:
        '.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    },
    'with two things to ask, and a name': {
      path: 'selfsubjectaccessreviews',
      body: {
        metadata: { name: 'x' },
        spec: { resourceAttributes: {}, nonResourceAttributes: { path: '/x', verb: 'get' } },
      },
      message:
        '.authorization.k8s.io "" is invalid: [spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: cannot be specified in combination with resourceAttributes, metadata: Invalid value: {"name":"x","managedFields":',
    },
    'without a user': {
      body: { spec: { resourceAttributes: { verb: 'get' } } },
      message:
        '.authorization.k8s.io "" is invalid: spec.user: Invalid value: "": at least one of user or group must be specified',
    },
    'in one namespace about another': {
      path: 'namespaces/default/localsubjectaccessreviews',
      body: { spec: { ...bob, resourceAttributes: { verb: 'get', namespace: 'other' } } },
      message:
        '.authorization.k8s.io "" is invalid: spec.resourceAttributes.namespace: Invalid value: "other": must match metadata.namespace',
    },
    'in a namespace about a path': {
      path: 'namespaces/default/localsubjectaccessreviews',
      body: { spec: { ...bob, nonResourceAttributes: { verb: 'get', path: '/a' } } },
      message:
        '.authorization.k8s.io "" is invalid: spec.nonResourceAttributes: Invalid value: {"Path":"/a","Verb":"get"}: disallowed on this kind of request',
    },
    'with empty and contradicting selectors': {
      body: {
        spec: {
          ...bob,
          resourceAttributes: {
            fieldSelector: {},
            labelSelector: { rawSelector: 'a', requirements: [{ key: 'x', operator: 'In' }] },
          },
        },
      },
      message:
        '.authorization.k8s.io "" is invalid: [spec.resourceAttributes.fieldSelector.requirements: Required value: when spec.resourceAttributes.fieldSelector is specified, requirements or rawSelector is required, spec.resourceAttributes.labelSelector.rawSelector: Invalid value: "a": may not specified at the same time as requirements, spec.resourceAttributes.labelSelector.requirements[0].values: Required value: must be specified when `operator` is \'In\' or \'NotIn\']',
    },
  };
  test.each(Object.entries(cases))('%s', async (_, { path = 'subjectaccessreviews', body, message }) => {
    const answer = await createAuthServer().call('POST', `${root}/${path}`, { user: admin, body });
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain(message);
    expect(answer.body.details).not.toHaveProperty('kind');
  });
});

describe('a rules review', () => {
  test('lists what the user may do in a namespace, and what could not be found', async () => {
    const server = createAuthServer();
    grant(server, 'jane', [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] }], 'team');
    server.put('rbac.authorization.k8s.io/clusterrolebindings', {
      metadata: { name: 'broken' },
      ...{ roleRef: { kind: 'ClusterRole', name: 'nope' }, subjects: [{ kind: 'User', name: 'jane' }] },
    });
    const body = { spec: { namespace: 'team' } };
    const answer = await server.call('POST', `${root}/selfsubjectrulesreviews`, { user: jane, body });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      metadata: {},
      spec: {},
      status: {
        resourceRules: expect.arrayContaining([
          { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] },
          { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
        ]),
        nonResourceRules: expect.arrayContaining([
          { verbs: ['get'], nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'] },
        ]),
        incomplete: false,
        evaluationError: 'clusterrole.rbac.authorization.k8s.io "nope" not found',
      },
    });
  });

  test('needs a namespace', async () => {
    const answer = await createAuthServer().call('POST', `${root}/selfsubjectrulesreviews`, { user: jane, body: {} });
    expect(answer).toMatchObject({ status: 400, body: { message: 'no namespace on request' } });
  });
});
