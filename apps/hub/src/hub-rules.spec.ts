import { readFileSync } from 'node:fs';
import { hubRules } from '@flotilla/registration-core/hub';
import { workManagerRules } from '@flotilla/work-manager';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** Each right for itself: `verb resource.group[/name]`. */
const rightsOf = (rules: readonly Rule[]): string[] => {
  const rights = rules.flatMap(({ apiGroups = [], resources = [], resourceNames = [''], verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        resourceNames.flatMap((name) => verbs.map((verb) => `${verb} ${resource}.${group} ${name}`)),
      ),
    ),
  );
  return [...new Set(rights)].sort();
};

it('lets new clusters ask to join and see the answer, and read one ConfigMap by its name', () => {
  const file = new URL('../deploy/bootstrap.yaml', import.meta.url);
  const documents = parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS());
  const rights = (kind: string) => rightsOf(documents.filter((one) => one.kind === kind).flatMap(({ rules }) => rules));
  expect(rights('ClusterRole')).toEqual(
    [
      ...['create', 'get', 'list', 'watch'].flatMap((verb) => [
        `${verb} certificatesigningrequests.certificates.k8s.io `,
        `${verb} managedclusters.cluster.open-cluster-management.io `,
      ]),
      'create managedclustersets/join.cluster.open-cluster-management.io ',
    ].sort(),
  );
  expect(rights('Role')).toEqual(['get configmaps. cluster-info']);
});

it('grants in the manifest what the controllers say that they need, and nothing else', () => {
  const file = new URL('../deploy/controller-rbac.yaml', import.meta.url);
  const documents = parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS());
  const role = documents.find(({ kind }) => kind === 'ClusterRole');
  expect(rightsOf(role.rules)).toEqual(rightsOf([...hubRules(), ...workManagerRules()]));
});
