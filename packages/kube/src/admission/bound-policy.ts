import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '../kinds/built-in-types.ts';

type PolicySpec = NonNullable<ValidatingAdmissionPolicy['spec']>;

/** What a policy is about, and what it wants. */
export interface PolicyRules extends Pick<PolicySpec, 'matchConditions' | 'variables' | 'validations'> {
  /** Of the policy and of its binding. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** A policy about what is created and updated of one resource, and the binding that denies what it does not allow, errors included. */
export function boundPolicy({
  name,
  group,
  version,
  resource,
  ...rules
}: PolicyRules): [ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding] {
  const apiVersion = 'admissionregistration.k8s.io/v1';
  return [
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          resourceRules: [
            { apiGroups: [group], apiVersions: [version], resources: [resource], operations: ['CREATE', 'UPDATE'] },
          ],
        },
        ...rules,
      },
    },
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'] },
    },
  ];
}
