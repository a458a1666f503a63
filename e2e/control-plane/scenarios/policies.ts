import { del, get, patch, post, put, type Scenario } from '../scenario.ts';

const group = '/apis/admissionregistration.k8s.io/v1';
const policies = `${group}/validatingadmissionpolicies`;
const bindings = `${group}/validatingadmissionpolicybindings`;
const maps = '/api/v1/namespaces/{ns}/configmaps';
const name = 'policy-{id}';
const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE', 'UPDATE'] };

/** Only about the namespace of the scenario. */
const here = {
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': '{ns}' } },
  resourceRules: [rule],
};

const policy = (spec: object, at = name) => ({ metadata: { name: at }, spec: { matchConstraints: here, ...spec } });
const binding = (spec: object = {}) => ({
  metadata: { name },
  spec: { policyName: name, validationActions: ['Deny'], ...spec },
});
const map = (at: string, data?: object, metadata: object = {}) => ({
  metadata: { name: at, ...metadata },
  ...(data && { data }),
});

/** The policy and its binding, and waits until the server evaluates it: a map with this label is refused then. */
const bound = (
  spec: { validations?: readonly object[]; matchConditions?: readonly object[] },
  bindingSpec?: object,
) => [
  post(
    policies,
    policy({
      ...spec,
      validations: [
        {
          expression: "!has(object.metadata.labels) || !('probe' in object.metadata.labels)",
          message: 'the policy is evaluated',
        },
        ...(spec.validations ?? []),
      ],
    }),
  ),
  post(bindings, binding(bindingSpec)),
  post(`${maps}?dryRun=All`, map('probe', { a: '1' }, { labels: { probe: '' } }), { until: 422 }),
];

const gone = [del(`${bindings}/${name}`), del(`${policies}/${name}`)];

/** Policies that are refused, each for what it is named after. The first error counts where a server may find several. */
const wrong: Readonly<Record<string, object>> = {
  'nothing at all': { metadata: { name }, spec: {} },
  'no rules and no validations': policy({ matchConstraints: {} }),
  'unknown words': policy({
    failurePolicy: 'Perhaps',
    matchConstraints: { ...here, matchPolicy: 'Roughly' },
    validations: [{ expression: 'true', reason: 'NotFound' }],
  }),
  'rules that contradict themselves': policy({
    matchConstraints: {
      resourceRules: [
        { apiGroups: ['*', 'apps'], apiVersions: ['*', 'v1'], resources: ['*/*', 'pods'], operations: ['*', 'CREATE'] },
        { apiGroups: [], apiVersions: [''], resources: ['pods/*', 'pods/status', ''], operations: ['READ'] },
        { ...rule, resourceNames: ['a', 'a', '..'], scope: 'World' },
      ],
      objectSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] },
    },
    validations: [{ expression: 'true' }],
  }),
  'a parameter that is not a kind': policy({
    paramKind: { apiVersion: 'a/b/c', kind: '1' },
    validations: [{ expression: 'true' }],
  }),
  'a parameter without anything': policy({ paramKind: {}, validations: [{ expression: 'true' }] }),
  'an unknown name': policy({ validations: [{ expression: 'nope' }] }),
  'an unknown name in the second line': policy({ validations: [{ expression: 'true &&\n  nope', message: 'no' }] }),
  'params without a kind of them': policy({ validations: [{ expression: 'params == null' }] }),
  'an unknown field of the request': policy({ validations: [{ expression: "request.nope == ''" }] }),
  'operands that do not fit': policy({ validations: [{ expression: "1 + 'a' == 2" }] }),
  'an unknown function': policy({ validations: [{ expression: 'nope(1)' }] }),
  'no boolean': policy({ validations: [{ expression: "'text'" }] }),
  'something that need not be a boolean': policy({ validations: [{ expression: 'object.data' }] }),
  'an empty expression': policy({ validations: [{ expression: ' ' }] }),
  'a message that is not a text': policy({ validations: [{ expression: 'true', messageExpression: '1' }] }),
  'a message that asks for rights': policy({
    validations: [{ expression: 'true', messageExpression: "authorizer.path('/').check('get').reason()" }],
  }),
  'messages that say nothing': policy({ validations: [{ expression: 'true', message: ' ', messageExpression: ' ' }] }),
  'a message of two lines': policy({ validations: [{ expression: 'true', message: 'a\nb' }] }),
  'conditions with bad names': policy({
    matchConditions: [
      { name: '', expression: '' },
      { name: 'a b', expression: 'true' },
      { name: 'c', expression: 'true' },
      { name: 'c', expression: '1' },
    ],
    validations: [{ expression: 'true' }],
  }),
  'variables that are none': policy({
    variables: [
      { name: '', expression: '' },
      { name: 'a-b', expression: 'true' },
      { name: 'in', expression: 'true' },
      { name: 'early', expression: 'variables.late' },
      { name: 'late', expression: '1' },
    ],
    validations: [{ expression: 'variables.late' }],
  }),
  'annotations that cannot be': policy({
    auditAnnotations: [
      { key: 'a', valueExpression: '1' },
      { key: 'a', valueExpression: "'a'" },
      { key: 'b c', valueExpression: "'a'" },
      { key: 'd', valueExpression: '' },
    ],
  }),
};

const wrongBindings: readonly object[] = [
  { metadata: { name }, spec: {} },
  binding({ policyName: 'A_B', validationActions: ['Deny', 'Warn', 'Deny', 'Shout'] }),
  binding({ paramRef: {} }),
  binding({
    paramRef: { name: 'a', selector: { matchLabels: { a: 'b' } }, parameterNotFoundAction: 'Perhaps' },
    matchResources: { matchPolicy: 'Roughly', resourceRules: [{}] },
  }),
  binding({ paramRef: { name: 'a/b', parameterNotFoundAction: 'Deny' } }),
];

export const policyScenarios: readonly Scenario[] = [
  ...Object.entries(wrong).map(([what, object]) => ({
    name: `policies: one that is refused for ${what}`,
    steps: [post(`${policies}?dryRun=All`, object)],
  })),
  {
    name: 'policies: bindings that are refused',
    steps: wrongBindings.map((object) => post(`${bindings}?dryRun=All`, object)),
  },
  {
    name: 'policies: a policy and its binding from creation to deletion',
    steps: [
      post(
        policies,
        policy({
          failurePolicy: 'Ignore',
          variables: [{ name: 'a', expression: '1' }],
          matchConditions: [{ name: 'c', expression: "request.operation == 'CREATE'" }],
          validations: [{ expression: 'variables.a == 1', reason: 'Forbidden' }],
          auditAnnotations: [{ key: 'who', valueExpression: 'request.userInfo.username' }],
        }),
      ),
      post(bindings, binding({ matchResources: { objectSelector: { matchLabels: { a: 'b' } } } })),
      get(`${bindings}/${name}`),
      put(`${bindings}/${name}`, binding({ validationActions: ['Warn'] })),
      patch('merge', `${bindings}/${name}`, { spec: { validationActions: ['Warn', 'Audit'] } }),
      patch('json', `${bindings}/${name}`, [{ op: 'replace', path: '/spec/validationActions', value: [] }]),
      patch('apply', `${bindings}/${name}?fieldManager=x&force=true`, {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyBinding',
        ...binding({ paramRef: { name: 'a', parameterNotFoundAction: 'Allow' } }),
      }),
      ...gone,
      get(`${policies}/${name}`),
    ],
  },
  {
    name: 'policies: what a bound policy says',
    steps: [
      ...bound({
        validations: [
          { expression: "!has(object.data.plain) || object.data.plain == 'yes'" },
          { expression: '!has(object.data.fixed)', message: 'a fixed message', reason: 'Forbidden' },
          {
            expression: '!has(object.data.made)',
            message: 'a fixed message',
            messageExpression: "'made of ' + object.data.made + ' for ' + request.operation",
          },
          { expression: '!has(object.data.large)', message: 'too much', reason: 'RequestEntityTooLarge' },
          {
            expression: '!has(object.data.lines)',
            message: 'instead of two lines',
            messageExpression: String.raw`'a\nb'`,
          },
          { expression: "!has(object.data.error) || object.data.missing == ''" },
          { expression: '!has(object.data.wrong) || object.data.wrong > 1' },
        ],
      }),
      post(maps, map('good', { plain: 'yes' })),
      ...['plain', 'fixed', 'made', 'large', 'lines', 'error', 'wrong'].map((key) =>
        post(maps, map('bad', { [key]: 'x' })),
      ),
      patch('merge', `${maps}/good`, { data: { made: 'x' } }),
      patch('merge', `${maps}/good`, { data: { more: 'x' } }),
      put(`${maps}/good`, map('good', { fixed: 'x' })),
      post(`${maps}?dryRun=All`, map('bad', { fixed: 'x' })),
      del(`${maps}/good`),
      ...gone,
    ],
  },
  {
    name: 'policies: warnings instead of refusals',
    steps: [
      post(
        policies,
        policy({
          matchConstraints: { ...here, excludeResourceRules: [{ ...rule, resourceNames: ['excluded'] }] },
          matchConditions: [{ name: 'data', expression: "'data' in object" }],
          validations: [
            { expression: "!('probe' in object.data)", message: 'a probe' },
            { expression: 'false', message: 'never' },
          ],
        }),
      ),
      post(bindings, binding()),
      post(`${maps}?dryRun=All`, map('probe', { probe: '1' }), { until: 422 }),
      post(maps, map('excluded', { a: '1' })),
      post(maps, map('unmet')),
      patch('merge', `${bindings}/${name}`, { spec: { validationActions: ['Warn', 'Audit'] } }),
      post(`${maps}?dryRun=All`, map('probe', { probe: '1' }), { until: 201 }),
      ...gone,
    ],
  },
  {
    name: 'policies: what the requester may do',
    steps: [
      post('/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles', {
        metadata: { name: 'limited' },
        rules: [
          { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
          { apiGroups: ['example.com'], resources: ['things/bless'], verbs: ['update'], resourceNames: ['good'] },
        ],
      }),
      post('/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings', {
        metadata: { name: 'limited' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'limited' },
        subjects: [{ kind: 'User', name: 'limited-{id}', apiGroup: 'rbac.authorization.k8s.io' }],
      }),
      ...bound({
        validations: [
          {
            expression:
              "!has(object.data.thing) || authorizer.group('example.com').resource('things').subresource('bless').namespace(request.namespace).name(object.data.thing).check('update').allowed()",
            messageExpression: "request.userInfo.username + ' cannot bless ' + object.data.thing",
            reason: 'Forbidden',
          },
          { expression: "!has(object.data.own) || authorizer.requestResource.check('delete').allowed()" },
          { expression: "!has(object.data.path) || authorizer.path('/x').check('get').allowed()" },
          { expression: "!has(object.data.empty) || authorizer.group('').resource('').check('get').allowed()" },
          {
            expression: "!has(object.data.costly) || [1, 2, 3].all(i, authorizer.path('/x').check('get').allowed())",
          },
          {
            expression:
              "!has(object.data.account) || authorizer.serviceAccount(request.namespace, object.data.account).group('').resource('pods').check('get').allowed()",
          },
        ],
      }),
      ...[
        { thing: 'good' },
        { thing: 'bad' },
        { own: 'x' },
        { path: 'x' },
        { empty: 'x' },
        { account: 'a' },
        { account: 'A_B' },
      ].map((data) => post(`${maps}?dryRun=All`, map('a', data), { as: 'limited-{id}' })),
      ...[{ thing: 'bad' }, { own: 'x' }, { path: 'x' }, { costly: 'x' }].map((data) =>
        post(`${maps}?dryRun=All`, map('a', data)),
      ),
      ...gone,
    ],
  },
  {
    name: 'policies: variables',
    steps: [
      post(
        policies,
        policy({
          variables: [
            { name: 'broken', expression: 'object.data.missing' },
            { name: 'owner', expression: "object.data.?owner.orValue('nobody')" },
            { name: 'greeting', expression: "'hello ' + variables.owner" },
          ],
          validations: [
            { expression: "variables.owner != 'nobody'", messageExpression: "variables.greeting + ', who are you?'" },
            { expression: "variables.owner != 'mallory' || variables.broken == ''" },
          ],
        }),
      ),
      post(bindings, binding()),
      post(`${maps}?dryRun=All`, map('a', { a: '1' }), { until: 422 }),
      post(`${maps}?dryRun=All`, map('a', { owner: 'me' })),
      post(`${maps}?dryRun=All`, map('a', { owner: 'mallory' })),
      ...gone,
    ],
  },
  {
    name: 'policies: variables that hold optional values',
    steps: [
      post(
        policies,
        policy({
          variables: [
            { name: 'data', expression: 'object.?data' },
            { name: 'a', expression: 'variables.data.?a' },
          ],
          validations: [
            {
              expression: 'object.data.?probe.hasValue() == false',
              messageExpression:
                "'data ' + string(variables.data.hasValue()) + ', a ' + string(variables.a.hasValue())",
            },
          ],
        }),
      ),
      post(bindings, binding()),
      post(`${maps}?dryRun=All`, map('a', { probe: '1', a: '1' }), {
        until: 422,
        differs: { id: 'optional-variables', at: ['body.message', 'body.details.causes'] },
      }),
      post(`${maps}?dryRun=All`, map('a', { probe: '1', b: '1' })),
      ...gone,
    ],
  },
  {
    name: 'policies: parameters that the author cannot read',
    steps: [
      post('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
        metadata: { name },
        rules: [{ apiGroups: ['admissionregistration.k8s.io'], resources: ['*'], verbs: ['create'] }],
      }),
      post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
        subjects: [{ kind: 'User', name: 'limited-{id}', apiGroup: 'rbac.authorization.k8s.io' }],
      }),
      ...[{ apiVersion: 'v1', kind: 'Secret' }, undefined].map((paramKind) =>
        post(
          `${policies}?dryRun=All`,
          policy({ ...(paramKind && { paramKind }), validations: [{ expression: 'true' }] }),
          {
            as: 'limited-{id}',
          },
        ),
      ),
      ...[{ name: 'a' }, { selector: {} }].map((ref) =>
        post(`${bindings}?dryRun=All`, binding({ paramRef: { ...ref, parameterNotFoundAction: 'Deny' } }), {
          as: 'limited-{id}',
        }),
      ),
      del(`/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/${name}`),
      del(`/apis/rbac.authorization.k8s.io/v1/clusterroles/${name}`),
    ],
  },
  {
    name: 'policies: parameters',
    steps: [
      post(maps, map('p1', { n: '1' }, { labels: { role: 'param' } })),
      post(maps, map('p2', { n: '2' }, { labels: { role: 'param' } })),
      post(
        policies,
        policy({
          paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
          validations: [
            {
              expression: 'params == null || object.data.n == params.data.n',
              messageExpression: "'want ' + params.data.n + ' of ' + params.kind",
            },
          ],
        }),
      ),
      post(bindings, binding({ paramRef: { name: 'p1', parameterNotFoundAction: 'Deny' } })),
      post(`${maps}?dryRun=All`, map('a', { n: '2' }), { until: 422 }),
      post(`${maps}?dryRun=All`, map('a', { n: '1' })),
      patch('merge', `${bindings}/${name}`, { spec: { paramRef: { name: 'p9' } } }),
      post(`${maps}?dryRun=All`, map('a', { n: '1' }), { until: 422 }),
      patch('merge', `${bindings}/${name}`, { spec: { paramRef: { parameterNotFoundAction: 'Allow' } } }),
      post(`${maps}?dryRun=All`, map('a', { n: '3' }), { until: 201 }),
      ...gone,
    ],
  },
];
