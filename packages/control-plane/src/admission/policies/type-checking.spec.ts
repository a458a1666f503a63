import { type ValidatingAdmissionPolicy, validatingAdmissionPolicies } from '@flotilla/kube/kinds';
import { describe, expect, it } from 'vitest';
import { startTestPlane } from '../../../fixtures/test-plane.ts';
import { builtInResources } from '../../schema/built-in.ts';
import { createRegistry } from '../../schema/registry.ts';
import { typeWarnings } from './type-checking.ts';

const registry = createRegistry(builtInResources());

const policy = (
  validations: NonNullable<NonNullable<ValidatingAdmissionPolicy['spec']>['validations']>,
  resources = ['deployments'],
): ValidatingAdmissionPolicy => ({
  metadata: { name: 'p' },
  spec: {
    matchConstraints: {
      resourceRules: [{ apiGroups: ['apps'], apiVersions: ['v1'], resources, operations: ['CREATE'] }],
    },
    variables: [{ name: 'name', expression: 'object.metadata.name' }],
    validations,
  },
});

describe('the types of a policy', () => {
  it.each([
    'object.spec.replicas > 1',
    "object.spec.template.spec.containers.all(c, c.image != '')",
    "object.metadata.labels['a'] == 'b' || has(object.status.replicas)",
    'oldObject == null || object.spec == oldObject.spec',
    "variables.name == request.name && object.metadata.?annotations[?'a'].orValue('') == ''",
    "object.spec.strategy.rollingUpdate.maxSurge == '1'",
  ])('are fine: %s', (expression) => {
    expect(typeWarnings(policy([{ expression }]), registry)).toEqual([]);
  });

  it('name a field that a kind does not have, where the expression stands', () => {
    const found = typeWarnings(
      policy([
        { expression: 'object.spec.replicas > 1' },
        { expression: 'object.spec.replicaz > 1', messageExpression: "'has ' + object.metadata.nam" },
      ]),
      registry,
    );
    expect(found).toEqual([
      {
        fieldRef: 'spec.validations[1].expression',
        warning:
          "apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'replicaz'\n | object.spec.replicaz > 1\n | ...........^\n",
      },
      {
        fieldRef: 'spec.validations[1].messageExpression',
        warning:
          "apps/v1, Kind=Deployment: ERROR: <input>:1:25: undefined field 'nam'\n | 'has ' + object.metadata.nam\n | ........................^\n",
      },
    ]);
  });

  it('are not checked for resources that are not known by name', () => {
    expect(
      typeWarnings(policy([{ expression: 'object.nope == 1' }], ['*', 'pods/status', 'nothing']), registry),
    ).toEqual([]);
  });

  it('are reported in the status of the policy, once for each of its generations', async () => {
    const plane = await startTestPlane();
    await using _ = plane.runControllers();
    const policies = plane.client.resource(validatingAdmissionPolicies);
    await policies.create(policy([{ expression: 'object.spec.replicaz > 1' }]));
    await plane.quiet();
    expect((await policies.get('p')).status).toEqual({
      observedGeneration: 1,
      typeChecking: { expressionWarnings: [expect.objectContaining({ fieldRef: 'spec.validations[0].expression' })] },
    });
    await policies.patch('p', {
      type: 'json',
      body: [{ op: 'replace', path: '/spec/validations/0/expression', value: 'object.spec.replicas > 1' }],
    });
    await plane.quiet();
    const { observedGeneration, typeChecking } = (await policies.get('p')).status ?? {};
    expect([observedGeneration, typeChecking?.expressionWarnings]).toEqual([2, undefined]);
  });
});
