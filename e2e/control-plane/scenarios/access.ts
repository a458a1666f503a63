import { del, get, patch, post, put, type Scenario } from '../scenario.ts';

const maps = '/api/v1/namespaces/{ns}/configmaps';
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const as = 'limited-{id}';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** A role for the user, and waits until the server obeys it: the authorizer of the real one reads roles and bindings from caches. */
const grant = (name: string, rule: Rule) => [
  post(`${rbac}/namespaces/{ns}/roles`, { metadata: { name }, rules: [rule] }),
  post(`${rbac}/namespaces/{ns}/rolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [{ kind: 'User', name: as, apiGroup: 'rbac.authorization.k8s.io' }],
  }),
  post(
    '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    {
      spec: {
        user: as,
        resourceAttributes: {
          namespace: '{ns}',
          group: rule.apiGroups[0],
          resource: rule.resources[0],
          verb: rule.verbs[0],
          name: rule.resourceNames?.[0] ?? '',
        },
      },
    },
    { untilAt: 'status.reason' },
  ),
];

export const access: readonly Scenario[] = [
  {
    name: 'access: a user without permissions',
    steps: [
      get(`${maps}/a`, { as }),
      get(maps, { as }),
      get('/api/v1/configmaps', { as }),
      get(`${maps}?watch=true`, { as }),
      get(`${maps}?fieldSelector=metadata.name=a`, { as }),
      post(maps, { metadata: { name: 'a' } }, { as }),
      put(`${maps}/a`, { metadata: { name: 'a' } }, { as }),
      patch('merge', `${maps}/a`, {}, { as }),
      del(`${maps}/a`, undefined, { as }),
      del(maps, undefined, { as }),
      get('/api/v1/nodes/n', { as }),
      get('/apis/apps/v1/namespaces/{ns}/deployments/d/scale', { as }),
      get('/apis/none.example/v1/things', { as }),
      get('/metrics', { as }),
      get('/nothing', { as }),
      get('/api', { as, headers: { 'impersonate-group': 'system:authenticated' } }),
      get('/version', {
        as,
        headers: { 'impersonate-group': 'system:authenticated' },
        differs: { id: 'version', at: ['body'] },
      }),
      get('/apis', { as, differs: { id: 'fewer-groups', at: ['body.groups'] } }),
    ],
  },
  {
    name: 'access: a user with few permissions, who cannot grant more',
    steps: [
      ...grant('reader', {
        apiGroups: [''],
        resources: ['configmaps'],
        verbs: ['get', 'patch'],
        resourceNames: ['a'],
      }),
      ...grant('roles', {
        apiGroups: ['rbac.authorization.k8s.io'],
        resources: ['roles', 'rolebindings'],
        verbs: ['create', 'update'],
      }),
      post(maps, { metadata: { name: 'a' } }),
      get(`${maps}/a`, { as }),
      get(`${maps}/b`, { as }),
      patch(
        'apply',
        `${maps}/a?fieldManager=x`,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
        { as },
      ),
      del(`${maps}/a`),
      patch(
        'apply',
        `${maps}/a?fieldManager=x`,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
        { as },
      ),
      post(
        `${rbac}/namespaces/{ns}/roles`,
        { metadata: { name: 'more' }, rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }] },
        { as },
      ),
      post(
        `${rbac}/namespaces/{ns}/rolebindings`,
        {
          metadata: { name: 'more' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
          subjects: [],
        },
        { as },
      ),
      patch('merge', `${rbac}/namespaces/{ns}/rolebindings/reader`, {
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'other' },
      }),
    ],
  },
  {
    name: 'access: a user who may list and watch one object by its name',
    steps: [
      ...grant('by-name', {
        apiGroups: [''],
        resources: ['configmaps'],
        verbs: ['list', 'watch'],
        resourceNames: ['own'],
      }),
      post(maps, { metadata: { name: 'own' } }),
      post(maps, { metadata: { name: 'other' } }),
      get(`${maps}?fieldSelector=metadata.name=own`, { as }),
      get(`${maps}?fieldSelector=metadata.name==own`, { as }),
      get(`${maps}?fieldSelector=metadata.name=own&watch=1&resourceVersion=0`, { as, watch: { events: 1 } }),
      ...[
        'metadata.namespace={ns},metadata.name=own',
        'metadata.name=own,metadata.name!=own',
        'metadata.name=own,metadata.name=pwn',
        'metadata.name=pwn,metadata.name=own',
        'metadata.name=a,metadata.name=own',
        'metadata.name=own,metadata.name=a',
        'metadata.name!=own',
        'metadata.name=other',
        'metadata.name!=x\\,metadata.name=own',
        'metadata.name!=x\\,metadata.name\\=own',
        'metadata.name=own\\,metadata.name!=x',
        'metadata.name!=\\\\,metadata.name=own',
        'metadata.name=\\own',
        'metadata.name=own\\',
        'metadata.name=own=x',
        'metadata.name=own,nonsense',
        'metadata.name=own,data.x=1',
        'metadata.name=own%252F..',
        'metadata.name=',
        ',metadata.name=own,',
        '',
      ].flatMap((selector) => [
        get(`${maps}?fieldSelector=${selector}`, { as }),
        get(`${maps}?fieldSelector=${selector}&labelSelector=none`),
      ]),
      get(`${maps}?fieldSelector=metadata.name!=x\\,metadata.name=own&watch=1`, { as }),
      get(`/api/v1/watch/namespaces/{ns}/configmaps?fieldSelector=metadata.name=own`, { as }),
      get(`${maps}?fieldSelector=metadata.name=own&fieldSelector=metadata.name!=own`, { as }),
      del(`${maps}?fieldSelector=metadata.name=own`, undefined, { as }),
      post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        spec: {
          user: as,
          resourceAttributes: {
            namespace: '{ns}',
            verb: 'list',
            resource: 'configmaps',
            fieldSelector: { rawSelector: 'metadata.name=own\\x' },
          },
        },
      }),
    ],
  },
  {
    name: 'access: impersonation and wrong credentials',
    steps: [
      get(`${maps}/a`, { as, headers: { 'impersonate-uid': 'u', 'impersonate-extra-scopes': 'x' } }),
      get(`${maps}/a`, { headers: { 'impersonate-group': 'g' } }),
      get(`${maps}/a`, { as: 'system:serviceaccount:{ns}:default' }),
      get(`${maps}/none`, { as, headers: { 'impersonate-group': 'system:masters' } }),
      get(`${maps}/a`, { headers: { 'impersonate-nonsense': 'g' } }),
      post(
        '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        {},
        {
          as,
          headers: {
            'impersonate-group': ['a, b', 'c', 'system:authenticated'],
            'impersonate-extra-scopes': ['x, y', 'z'],
          },
        },
      ),
      post(
        '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        {},
        { as, headers: { 'impersonate-group': 'a,system:authenticated' } },
      ),
    ],
  },
  {
    name: 'access: reviews',
    steps: [
      ...grant('reader', { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }),
      post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        spec: { user: as, resourceAttributes: { namespace: '{ns}', verb: 'get', resource: 'configmaps' } },
      }),
      post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        spec: { user: as, resourceAttributes: { namespace: '{ns}', verb: 'delete', resource: 'configmaps' } },
      }),
      post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        spec: { user: as, nonResourceAttributes: { path: '/metrics', verb: 'get' } },
      }),
      post('/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec: {} }),
      post('/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec: { user: 'x' } }),
      post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
        spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
      }),
      post(
        '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        { spec: { resourceAttributes: { namespace: '{ns}', verb: 'get', resource: 'configmaps' } } },
        { as, headers: { 'impersonate-group': 'system:authenticated' } },
      ),
      post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { spec: {} }),
      post('/apis/authorization.k8s.io/v1/namespaces/{ns}/localsubjectaccessreviews', {
        spec: { user: as, resourceAttributes: { namespace: '{ns}', verb: 'get', resource: 'configmaps' } },
      }),
      post('/apis/authorization.k8s.io/v1/namespaces/{ns}/localsubjectaccessreviews', {
        spec: { user: as, resourceAttributes: { namespace: 'other', verb: 'get', resource: 'configmaps' } },
      }),
      post('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', { spec: { namespace: '{ns}' } }, { as }),
      post('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', { spec: {} }),
      post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, { as }),
      post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 'nonsense' } }),
      post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: {} }),
      get('/apis/authentication.k8s.io/v1/tokenreviews'),
      get('/apis/authorization.k8s.io/v1/subjectaccessreviews/x'),
    ],
  },
  {
    name: 'access: tokens of service accounts',
    steps: [
      post('/api/v1/namespaces/{ns}/serviceaccounts', { metadata: { name: 'robot' } }),
      post(
        '/api/v1/namespaces/{ns}/serviceaccounts/robot/token',
        { spec: { expirationSeconds: 600 } },
        { save: { token: 'status.token' } },
      ),
      post('/api/v1/namespaces/{ns}/serviceaccounts/robot/token', {}),
      post('/api/v1/namespaces/{ns}/serviceaccounts/robot/token', { spec: { expirationSeconds: 5 } }),
      post('/api/v1/namespaces/{ns}/serviceaccounts/robot/token', {
        spec: { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'none' } },
      }),
      post('/api/v1/namespaces/{ns}/serviceaccounts/none/token', {}),
      get('/api/v1/namespaces/{ns}/serviceaccounts/robot/token'),
      post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: '{token}' } }),
      post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: '{token}', audiences: ['other'] } }),
      get(`${maps}/a`, { bare: true }),
      get('/nothing', { bare: true }),
      get('/api', { bare: true }),
      get('/livez', { bare: true }),
      post(maps, { metadata: { name: 'b' } }, { bare: true }),
      post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, { bare: true }),
      get(`${maps}/a`, { bare: true, headers: { authorization: 'Bearer ' } }),
      get(`${maps}/a`, { bare: true, headers: { authorization: 'Bearer nonsense' } }),
      get(`${maps}/a`, { bare: true, headers: { authorization: 'Basic nonsense' } }),
      get(`${maps}/a`, { bare: true, headers: { authorization: 'Bearer {token}' } }),
      post(
        '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        {},
        { bare: true, headers: { authorization: 'Bearer {token}' } },
      ),
      del('/api/v1/namespaces/{ns}/serviceaccounts/robot'),
      get(`${maps}/a`, {
        bare: true,
        headers: { authorization: 'Bearer {token}' },
        differs: { id: 'token-cache', at: ['status', 'body'] },
      }),
      get(`${maps}/a`, { bare: true, as: 'x' }),
    ],
  },
];
