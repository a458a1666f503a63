import { KubeError } from '@flotilla/kube';
import {
  type ConfigMap,
  configMaps,
  namespaces,
  type ValidatingAdmissionPolicy,
  type ValidatingAdmissionPolicyBinding,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
} from '@flotilla/kube/kinds';
import { longestTurn } from '@flotilla/rules/testing';
import type { KubeObject } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { send } from '../../../fixtures/send.ts';
import { startTestPlane, type TestPlane } from '../../../fixtures/test-plane.ts';
import type { Authorizer } from '../../contracts/authorizer.ts';

type PolicySpec = NonNullable<ValidatingAdmissionPolicy['spec']>;
type BindingSpec = ValidatingAdmissionPolicyBinding['spec'];

const onConfigMaps: PolicySpec['matchConstraints'] = {
  resourceRules: [
    { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE', 'UPDATE', 'DELETE'] },
  ],
};

/** A control plane with one policy about config maps, and its binding. */
async function withPolicy(
  spec: Partial<PolicySpec>,
  binding: Partial<BindingSpec> = {},
  { authorizer, params = [] }: { authorizer?: Authorizer; params?: ConfigMap[] } = {},
): Promise<TestPlane> {
  const plane = await startTestPlane(authorizer ? { authorizer } : {});
  for (const param of params) await plane.client.resource(configMaps).create(param);
  await plane.client
    .resource(validatingAdmissionPolicies)
    .create({ metadata: { name: 'p' }, spec: { matchConstraints: onConfigMaps, ...spec } });
  await plane.client
    .resource(validatingAdmissionPolicyBindings)
    .create({ metadata: { name: 'b' }, spec: { policyName: 'p', validationActions: ['Deny'], ...binding } });
  return plane;
}

const configMap = (data: Record<string, string> = { some: 'data' }, metadata: KubeObject['metadata'] = {}) => ({
  metadata: { namespace: 'default', name: 'm', ...metadata },
  data,
});

/** What the server answers to the creation of a config map: the Status, or undefined if it is created. */
async function refusalOf(plane: TestPlane, object = configMap()): Promise<KubeError['apiStatus'] | undefined> {
  try {
    await plane.client.resource(configMaps).create(object);
    return undefined;
  } catch (error) {
    if (error instanceof KubeError) return error.apiStatus;
    throw error;
  }
}

const denied = (message: string): string =>
  `configmaps "m" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ${message}`;

describe('a bound policy', () => {
  it('denies what its expression does not allow, as the API server answers', async () => {
    const plane = await withPolicy({ validations: [{ expression: "object.data.size == 'small'" }] });
    expect(await refusalOf(plane, configMap({ size: 'small' }))).toBeUndefined();
    const message = denied("failed expression: object.data.size == 'small'");
    expect(await refusalOf(plane, configMap({ size: 'big' }))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason: 'Invalid',
      code: 422,
      details: {
        name: 'm',
        kind: 'configmaps',
        causes: [{ message: message.replace('configmaps "m" is forbidden: ', '') }],
      },
    });
  });

  it.each<[what: string, rule: NonNullable<PolicySpec['validations']>[number], message: string, code: number]>([
    ['its message', { expression: 'false', message: ' fixed ' }, 'fixed', 422],
    [
      'the message that it makes',
      { expression: 'false', message: 'fixed', messageExpression: "'by ' + request.userInfo.username" },
      'by admin',
      422,
    ],
    [
      'its message if it makes none',
      { expression: 'false', message: 'fixed', messageExpression: 'object.x' + ".y + ''" },
      'fixed',
      422,
    ],
    [
      'its message if it makes two lines',
      { expression: 'false', message: 'fixed', messageExpression: String.raw`'a\nb'` },
      'fixed',
      422,
    ],
    ['its reason', { expression: 'false', message: 'no', reason: 'Forbidden' }, 'no', 403],
    ['that something is too large', { expression: 'false', message: 'no', reason: 'RequestEntityTooLarge' }, 'no', 413],
    [
      'that it cannot be evaluated',
      { expression: "object.data.missing == 'x'" },
      "expression 'object.data.missing == 'x'' resulted in error: no such key: missing",
      422,
    ],
  ])('reports %s', async (_, rule, message, code) => {
    const plane = await withPolicy({ validations: [rule] });
    expect(await refusalOf(plane)).toMatchObject({ message: denied(message), code });
  });

  it('knows the object, the old object, the request and the namespace', async () => {
    const plane = await withPolicy({
      validations: [
        {
          expression: [
            "request.operation == 'DELETE' ? object == null && oldObject.data.a == '2'",
            "request.operation == 'UPDATE' ? oldObject.data.a == '1' && object.data.a == '2'",
            "object.data.a == '1' && oldObject == null && namespaceObject.metadata.name == 'default'",
          ].join(' : '),
        },
        {
          expression:
            "request.name == 'm' && request.resource.resource == 'configmaps' && request.kind.kind == 'ConfigMap'",
        },
        { expression: "request.namespace == 'default' && !request.dryRun && !has(request.subResource)" },
      ],
    });
    const maps = plane.client.resource(configMaps);
    await maps.create(configMap({ a: '1' }));
    await maps.patch('default/m', { type: 'merge', body: { data: { a: '2' } } });
    await maps.delete('default/m');
    expect((await refusalOf(plane, configMap({ a: '3' })))?.code).toBe(422);
  });

  it('composes variables, each evaluated when it is needed', async () => {
    const plane = await withPolicy({
      variables: [
        { name: 'broken', expression: 'object.data.missing' },
        { name: 'owner', expression: "object.metadata.?labels[?'owner'].orValue('nobody')" },
        { name: 'greeting', expression: "'hello ' + variables.owner" },
      ],
      validations: [
        { expression: "variables.owner != 'nobody'", messageExpression: "variables.greeting + ', who are you?'" },
        { expression: "variables.owner != 'mallory' || variables.broken == ''" },
      ],
    });
    expect((await refusalOf(plane))?.message).toBe(denied('hello nobody, who are you?'));
    expect(await refusalOf(plane, configMap({}, { name: 'm1', labels: { owner: 'me' } }))).toBeUndefined();
    expect((await refusalOf(plane, configMap(undefined, { labels: { owner: 'mallory' } })))?.message).toBe(
      denied(
        `expression 'variables.owner != 'mallory' || variables.broken == ''' resulted in error: composited variable "broken" fails to evaluate: no such key: missing`,
      ),
    );
  });

  it('asks what the requester may do', async () => {
    const asked: unknown[] = [];
    const authorizer: Authorizer = {
      authorize: (user, attributes) => {
        if (attributes.verb === 'bless') asked.push(attributes);
        return user.name === 'admin' && attributes.verb !== 'bless'
          ? { allowed: true, reason: '' }
          : { allowed: attributes.kind === 'resource' && attributes.name === 'good', reason: 'because' };
      },
    };
    const plane = await withPolicy(
      {
        validations: [
          {
            expression:
              "authorizer.group('g').resource('things').subresource('sub').namespace('ns').name(object.data.thing).check('bless').allowed()",
            reason: 'Forbidden',
          },
          { expression: "authorizer.requestResource.check('bless').reason() == 'because'" },
          { expression: "!authorizer.path('/x').check('bless').allowed()" },
          { expression: "!authorizer.serviceAccount('a', 'b').group('').resource('pods').check('bless').errored()" },
        ],
      },
      {},
      { authorizer },
    );
    expect(await refusalOf(plane, configMap({ thing: 'good' }))).toBeUndefined();
    expect(asked).toEqual([
      {
        kind: 'resource',
        group: 'g',
        version: '*',
        resource: 'things',
        subresource: 'sub',
        namespace: 'ns',
        name: 'good',
        verb: 'bless',
      },
      {
        kind: 'resource',
        group: '',
        version: '*',
        resource: 'configmaps',
        namespace: 'default',
        name: 'm',
        verb: 'bless',
      },
      { kind: 'path', path: '/x', verb: 'bless' },
      { kind: 'resource', group: '', version: '*', resource: 'pods', verb: 'bless' },
    ]);
    expect((await refusalOf(plane, configMap({ thing: 'bad' }, { name: 'n' })))?.code).toBe(403);
  });

  it('ends an expression that asks more than twice', async () => {
    const check = "authorizer.path('/x').check('get').allowed()";
    const plane = await withPolicy({ validations: [{ expression: [check, check, check].join(' && ') }] });
    expect((await refusalOf(plane))?.message).toContain('operation cancelled: actual cost limit exceeded');
  });
});

describe('a policy counts', () => {
  const never = [{ expression: 'false', message: 'never' }];
  const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['*'] };

  it.each<[what: string, constraints: PolicySpec['matchConstraints'], counts: boolean]>([
    ['for what its rules name', { resourceRules: [rule] }, true],
    ['for the names in its rules', { resourceRules: [{ ...rule, resourceNames: ['m'] }] }, true],
    ['not for other names', { resourceRules: [{ ...rule, resourceNames: ['n'] }] }, false],
    ['not for other resources', { resourceRules: [{ ...rule, resources: ['secrets'] }] }, false],
    [
      'not for what it excludes',
      { resourceRules: [rule], excludeResourceRules: [{ ...rule, resourceNames: ['m'] }] },
      false,
    ],
    ['for objects that it selects', { resourceRules: [rule], objectSelector: { matchLabels: { a: 'b' } } }, true],
    [
      'not for objects that it does not select',
      { resourceRules: [rule], objectSelector: { matchLabels: { a: 'c' } } },
      false,
    ],
    [
      'not in namespaces that it does not select',
      { resourceRules: [rule], namespaceSelector: { matchLabels: { a: 'b' } } },
      false,
    ],
  ])('%s', async (_, matchConstraints, counts) => {
    const plane = await withPolicy({ matchConstraints, validations: never });
    expect((await refusalOf(plane, configMap({}, { labels: { a: 'b' } }))) !== undefined).toBe(counts);
  });

  it('only if it is bound, and where its binding says', async () => {
    const plane = await withPolicy(
      { validations: never },
      { matchResources: { namespaceSelector: { matchLabels: { guarded: 'yes' } } } },
    );
    await plane.client.resource(namespaces).create({ metadata: { name: 'guarded', labels: { guarded: 'yes' } } });
    expect(await refusalOf(plane)).toBeUndefined();
    expect(await refusalOf(plane, configMap({}, { namespace: 'guarded' }))).toMatchObject({ code: 422 });
    await plane.client.resource(validatingAdmissionPolicyBindings).delete('b');
    expect(await refusalOf(plane, configMap({}, { namespace: 'guarded' }))).toBeUndefined();
  });

  it('if its conditions are met, and by its failure policy if they cannot be evaluated', async () => {
    const condition = (expression: string) => [{ name: 'c', expression }];
    const plane = await withPolicy({ matchConditions: condition('has(object.data.x)'), validations: never });
    expect(await refusalOf(plane)).toBeUndefined();
    expect((await refusalOf(plane, configMap({ x: '' })))?.code).toBe(422);
    const broken = await withPolicy({ matchConditions: condition("object.data.y == ''"), validations: never });
    expect((await refusalOf(broken))?.message).toContain('resulted in error: no such key: y');
    const lenient = await withPolicy({
      failurePolicy: 'Ignore',
      matchConditions: condition("object.data.y == ''"),
      validations: never,
    });
    expect(await refusalOf(lenient)).toBeUndefined();
  });

  it('not for policies themselves: whoever is locked out must be able to fix it', async () => {
    const allResources = { apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['*'] };
    const plane = await withPolicy({ matchConstraints: { resourceRules: [allResources] }, validations: never });
    expect(await refusalOf(plane)).toMatchObject({ code: 422 });
    await plane.client.resource(validatingAdmissionPolicies).delete('p');
    expect(await refusalOf(plane)).toBeUndefined();
  });

  it('as its binding wants: a warning instead of a refusal', async () => {
    const plane = await withPolicy({ validations: never }, { validationActions: ['Warn', 'Audit'] });
    const { status, headers } = await send(plane.handler, {
      method: 'POST',
      path: '/api/v1/namespaces/default/configmaps',
      body: JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', ...configMap() }),
    });
    expect([status, headers.warning]).toEqual([
      201,
      [`299 - "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': never"`],
    ]);
  });

  it('as denied if an audit annotation cannot be made', async () => {
    const annotations = [{ key: 'who', valueExpression: 'object.data.who + ""' }];
    const plane = await withPolicy({ auditAnnotations: annotations });
    expect(await refusalOf(plane, configMap({ who: 'me' }, { name: 'n' }))).toBeUndefined();
    expect((await refusalOf(plane))?.message).toContain('no such key: who');
  });
});

describe('the parameters of a policy', () => {
  const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
  const spec = {
    paramKind,
    matchConditions: [{ name: 'others', expression: '!has(object.metadata.labels)' }],
    validations: [
      { expression: 'params == null || object.data.n == params.data.n', messageExpression: "'want ' + params.data.n" },
    ],
  };
  const param = (name: string, n: string) => ({
    metadata: { namespace: 'default', name, labels: { role: 'param' } },
    data: { n },
  });

  it.each<[what: string, binding: Partial<BindingSpec>, message: string | undefined]>([
    ['the object that the binding names', { paramRef: { name: 'p1', parameterNotFoundAction: 'Deny' } }, 'want 1'],
    [
      'the object in another namespace',
      { paramRef: { name: 'p1', namespace: 'default', parameterNotFoundAction: 'Deny' } },
      'want 1',
    ],
    [
      'every object that it selects',
      { paramRef: { selector: { matchLabels: { role: 'param' } }, parameterNotFoundAction: 'Deny' } },
      'want 1',
    ],
    ['none if the binding names none', {}, undefined],
    [
      'none if there is none and that is allowed',
      { paramRef: { name: 'p9', parameterNotFoundAction: 'Allow' } },
      undefined,
    ],
    [
      'a refusal if there is none and that is not',
      { paramRef: { name: 'p9', parameterNotFoundAction: 'Deny' } },
      'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
    ],
  ])('are %s', async (_, binding, message) => {
    const plane = await withPolicy(spec, binding, { params: [param('p1', '1'), param('p2', '2')] });
    expect((await refusalOf(plane, configMap({ n: '2' })))?.message).toBe(message && denied(message));
  });

  it('are only what the one may read who writes the policy or its binding', async () => {
    const mayRead = new Set<string>();
    const authorizer: Authorizer = {
      authorize: ({ name }, attributes) => {
        const reads =
          attributes.kind === 'resource' && attributes.resource === 'configmaps' && attributes.verb === 'get';
        return { allowed: name === 'admin' || !reads || mayRead.has(name), reason: '' };
      },
    };
    const plane = await startTestPlane({ authorizer });
    const client = plane.as({ name: 'author', groups: ['a', 'b'] });
    const policy = { metadata: { name: 'p' }, spec: { matchConstraints: onConfigMaps, ...spec } };
    const binding = {
      metadata: { name: 'b' },
      spec: {
        policyName: 'p',
        validationActions: ['Deny'],
        paramRef: { name: 'p1', parameterNotFoundAction: 'Deny' },
      },
    };
    await expect(client.resource(validatingAdmissionPolicies).create(policy)).rejects.toThrow(
      'spec.paramKind: Forbidden: user &{author  [a b] map[]} must have "get" permission on all objects of the referenced paramKind (kind=ConfigMap, apiVersion=v1)',
    );
    await plane.client.resource(validatingAdmissionPolicies).create(policy);
    await expect(client.resource(validatingAdmissionPolicyBindings).create(binding)).rejects.toThrow(
      'spec.paramRef: Forbidden: user &{author  [a b] map[]} does not have "get" permission on the object referenced by paramRef',
    );
    mayRead.add('author');
    await client.resource(validatingAdmissionPolicyBindings).create(binding);
  });

  it('are of a kind that is served', async () => {
    const plane = await withPolicy({ ...spec, paramKind: { apiVersion: 'example.com/v1', kind: 'Nope' } });
    expect((await refusalOf(plane))?.message).toBe(
      `configmaps "m" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Nope'`,
    );
  });
});

it('lets the event loop turn between the expressions of policies, whatever they cost for an object', async () => {
  const data = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, '']));
  const costly = (end: string) => `object.data.all(a, object.data.all(b, a + b != '${end}'))`;
  const cost = async (count: number) => {
    const validations = Array.from({ length: count }, (_, index) => ({ expression: costly(`${index}`) }));
    const plane = await withPolicy({ failurePolicy: 'Ignore', validations });
    return longestTurn(() => refusalOf(plane, configMap(data)));
  };
  const one = await cost(1);
  expect(await cost(8)).toBeLessThan(3 * one);
});
