import type { ClusterRole, Role } from '@flotilla/kube/kinds';
import { certificateRules } from '@flotilla/registration-core/certificates';
import type { KubeObject } from '@flotilla/schema';
import { expect, it } from 'vitest';
import { bootstrapObjects } from './bootstrap.ts';

const isRole = (object: KubeObject): object is ClusterRole | Role =>
  object.kind === 'ClusterRole' || object.kind === 'Role';

/** Each right for itself: `verb resource.group [name]`. */
const rightsOf = (kind: string): string[] => {
  const rules = bootstrapObjects([{ rules: certificateRules('example.com/signer') }])
    .filter(isRole)
    .filter((role) => role.kind === kind)
    .flatMap((role) => role.rules ?? []);
  const rights = rules.flatMap(({ apiGroups = [], resources = [], resourceNames = [''], verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        resourceNames.flatMap((name) => verbs.map((verb) => `${verb} ${resource}.${group} ${name}`)),
      ),
    ),
  );
  return [...new Set(rights)].sort();
};

it('allows new clusters to request to join and to read the answer, and ConfigMaps by name only', () => {
  expect(rightsOf('ClusterRole')).toEqual(
    [
      ...['create', 'get', 'list', 'watch'].flatMap((verb) => [
        `${verb} certificatesigningrequests.certificates.k8s.io `,
        `${verb} managedclusters.cluster.open-cluster-management.io `,
      ]),
      'create managedclustersets/join.cluster.open-cluster-management.io ',
    ].sort(),
  );
  expect(rightsOf('Role')).toEqual([
    'get configmaps. ca-bundle-configmap',
    'get configmaps. cluster-info',
    'get configmaps. kube-root-ca.crt',
  ]);
});
