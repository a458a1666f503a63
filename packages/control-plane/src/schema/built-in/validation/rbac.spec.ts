import { describe, expect, test } from 'vitest';
import { rbacCauses } from './rbac.ts';

const apiGroup = 'rbac.authorization.k8s.io';
const causesOf = (kind: string, object: object, old?: object): string[] =>
  rbacCauses(kind, object, old).map(({ field, message }) => `${field}: ${message}`);

describe('a role is refused', () => {
  const cases: Record<string, [string, object, string[]]> = {
    'if a rule has no verbs, or mixes resources and paths, or has paths in a namespace': [
      'Role',
      { rules: [{ verbs: [], nonResourceURLs: ['/a'], resources: ['x'] }, { verbs: ['get'] }] },
      [
        'rules[0].verbs: Required value: verbs must contain at least one value',
        'rules[0].nonResourceURLs: Invalid value: ["/a"]: namespaced rules cannot apply to non-resource URLs',
        'rules[0].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs',
        'rules[1].apiGroups: Required value: resource rules must supply at least one api group',
        'rules[1].resources: Required value: resource rules must supply at least one resource',
      ],
    ],
    'if it gathers without saying what': [
      'ClusterRole',
      { aggregationRule: {} },
      [
        'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
      ],
    ],
    'if it gathers by an operator that is none': [
      'ClusterRole',
      { aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'Foo' }] }] } },
      [
        'aggregationRule.clusterRoleSelectors[0].matchExpressions[0].operator: Invalid value: "Foo": not a valid selector operator',
        'aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.',
      ],
    ],
    'never for paths in a role of the cluster': [
      'ClusterRole',
      { rules: [{ verbs: ['get'], nonResourceURLs: ['/a'] }] },
      [],
    ],
  };
  test.each(Object.entries(cases))('%s', (_, [kind, object, causes]) => {
    expect(causesOf(kind, object)).toEqual(causes);
  });
});

describe('a binding is refused', () => {
  const view = { apiGroup, kind: 'ClusterRole', name: 'view' };
  const cases: Record<string, [string, object, string[], object?]> = {
    'for every wrong part of its role and subjects': [
      'ClusterRoleBinding',
      {
        roleRef: { kind: 'Role', name: '', apiGroup: 'x' },
        subjects: [
          { kind: 'User', name: '', apiGroup },
          { kind: 'Foo', name: 'a' },
          { kind: 'ServiceAccount', name: 'a', apiGroup: 'z' },
          { kind: 'Group', name: 'a', apiGroup: 'v' },
        ],
      },
      [
        'roleRef.apiGroup: Unsupported value: "x": supported values: "rbac.authorization.k8s.io"',
        'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
        'roleRef.name: Required value',
        'subjects[0].name: Required value',
        'subjects[1].kind: Unsupported value: "Foo": supported values: "ServiceAccount", "User", "Group"',
        'subjects[2].apiGroup: Unsupported value: "z": supported values: ""',
        'subjects[2].namespace: Required value',
        'subjects[3].apiGroup: Unsupported value: "v": supported values: "rbac.authorization.k8s.io"',
      ],
    ],
    'if it says neither whom nor to what': [
      'RoleBinding',
      { subjects: [{}] },
      [
        'roleRef.apiGroup: Unsupported value: "": supported values: "rbac.authorization.k8s.io"',
        'roleRef.kind: Unsupported value: "": supported values: "Role", "ClusterRole"',
        'roleRef.name: Required value',
        'subjects[0].name: Required value',
        'subjects[0].kind: Unsupported value: "": supported values: "ServiceAccount", "User", "Group"',
      ],
    ],
    'if the role has a name that no path can have': [
      'RoleBinding',
      { roleRef: { apiGroup, kind: 'Role', name: 'a%' } },
      ['roleRef.name: Invalid value: "a%": may not contain \'%\''],
    ],
    'if it is pointed to another role': [
      'RoleBinding',
      { roleRef: { ...view, name: 'edit' } },
      [
        'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"edit"}: cannot change roleRef',
      ],
      { roleRef: view },
    ],
    'never for other subjects of the same role': [
      'RoleBinding',
      { roleRef: view, subjects: [{ kind: 'ServiceAccount', name: 'a' }] },
      [],
      { roleRef: view, subjects: [] },
    ],
  };
  test.each(Object.entries(cases))('%s', (_, [kind, object, causes, old]) => {
    expect(causesOf(kind, object, old)).toEqual(causes);
  });
});
