import type { KubeObject } from '@flotilla/schema';
import { kubeletClientUser } from '../contracts/kubelet.ts';
import type { SystemObject } from './system-objects.ts';

const apiGroup = 'rbac.authorization.k8s.io';
/** As kube-apiserver's role for what asks kubelets, which other clusters bind to the same user. */
const role = 'system:kubelet-api-admin';
const binding = 'flotilla:kubelet-client';

/** Lets this server into kubelets: they ask it what its own user may do. */
export function kubeletAccess(): SystemObject[] {
  const rules = [
    { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch', 'proxy'] },
    {
      apiGroups: [''],
      resources: ['nodes/log', 'nodes/metrics', 'nodes/proxy', 'nodes/stats'],
      verbs: ['*'],
    },
  ];
  const clusterRole: KubeObject & { rules: object[] } = {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRole',
    metadata: { name: role },
    rules,
  };
  const clusterRoleBinding: KubeObject & { roleRef: object; subjects: object[] } = {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: binding },
    roleRef: { apiGroup, kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup, kind: 'User', name: kubeletClientUser }],
  };
  return [
    { storage: `${apiGroup}/clusterroles`, key: role, object: clusterRole },
    { storage: `${apiGroup}/clusterrolebindings`, key: binding, object: clusterRoleBinding },
  ];
}
