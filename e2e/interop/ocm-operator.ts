import type { ClusterRoleBinding, Deployment } from '@flotilla/kube/kinds';
import type { Image } from '@flotilla/process-node';
import { ocmPrograms } from '../ocm/programs.ts';

/** Where OCM's images are. */
export const registry = 'quay.io/open-cluster-management';

/** The namespace of operators. */
export const operatorNamespace = 'open-cluster-management';

/** Whose operator a cluster has. */
export type Project = 'ocm' | 'flotilla';

/** Whose operator wrote a Deployment: OCM's spreads pods by the retired name of the label of zones. */
export const writerOf = ({ spec }: Deployment): Project =>
  JSON.stringify(spec?.template.spec?.affinity).includes('failure-domain.beta.kubernetes.io') ? 'ocm' : 'flotilla';

/** What an operator of OCM works on: the names of its Deployment and of its service account. */
export type OperatorRole = 'cluster-manager' | 'klusterlet';

/**
 * OCM's images: the first argument is the program. Pods that share the network of the machine get `--listen`, which OCM's webhook
 * servers do not have: these need a network of their own.
 */
export async function ocmImages(network: 'machine' | 'namespace'): Promise<Record<string, Image>> {
  const programs = await ocmPrograms();
  const image =
    (program: keyof typeof programs): Image =>
    ({ args, podIP }) => ({
      command: programs[program],
      args: [...args.slice(1), ...(network === 'machine' ? [`--listen=${podIP}:8443`] : [])],
    });
  return {
    [`${registry}/registration-operator`]: image('registration-operator'),
    [`${registry}/registration`]: image('registration'),
    [`${registry}/work`]: image('work'),
    [`${registry}/placement`]: image('placement'),
    [`${registry}/addon-manager`]: image('addon'),
  };
}

/** The administrator's rights for OCM's operator: which rights it needs is not under test. */
export const ocmOperatorRights = (role: OperatorRole): ClusterRoleBinding => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: 'ocm-operator' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: [{ kind: 'ServiceAccount', namespace: operatorNamespace, name: role }],
});

/** OCM's operator in the place of ours. */
export const ocmOperator = (role: OperatorRole, version: string): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: operatorNamespace, name: role, labels: { app: role } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: role } },
    template: {
      metadata: { labels: { app: role } },
      spec: {
        serviceAccountName: role,
        containers: [
          {
            name: role,
            image: `${registry}/registration-operator:${version}`,
            args: ['/registration-operator', role === 'klusterlet' ? 'klusterlet' : 'hub', '--disable-leader-election'],
            env: [{ name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
          },
        ],
      },
    },
  },
});
