import { DataKey, GroupName, UserName } from '@flotilla/api-types';
import { startFleet } from '@flotilla/fleet';
import { bindDriver } from '@flotilla/registration-core/agent';
import { authTypeAnnotation, declaredAuthType, defineDriver } from '@flotilla/registration-core/contract';
import { kubeBootstrapOptions, kubeHub } from '@flotilla/registration-core/kube-hub';

export const authType = 'spoken';

/** The token is the name of the cluster and of the agent: good enough to see how a driver joins. */
const spoken = defineDriver({
  authType,
  options: { agent: { ...kubeBootstrapOptions }, hub: {} },
  agent(context) {
    const { clusterName, agentName } = context.identity;
    const token = `${authType} ${clusterName} ${agentName}`.replaceAll(' ', '/');
    const credentials = { current: () => ({ authorization: `Bearer ${token}` }), invalidate() {} };
    return {
      ...kubeHub(context, { user: { tokenFile: DataKey.Token }, credentials }),
      evaluate: (stored) =>
        stored[DataKey.Token] === token
          ? { usable: true }
          : { usable: false, reason: 'Missing', message: 'there is no token' },
      start: () => async (stored) =>
        stored[DataKey.Token] === token
          ? { kind: 'unchanged' }
          : { kind: 'obtained', credentials: { [DataKey.Token]: token } },
      decorate: ({ metadata, ...cluster }) => ({
        ...cluster,
        metadata: { ...metadata, annotations: { ...metadata?.annotations, [authTypeAnnotation]: authType } },
      }),
    };
  },
  hub: () => ({
    controllers: [],
    accepts: (cluster) => (declaredAuthType(cluster) === authType ? 'accept' : 'not mine'),
    subjects: (cluster) => [
      { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: GroupName.Cluster.of({ cluster }) },
    ],
    clusterRules: () => [],
  }),
});

/** Whose a token is. */
function userOf(text: string) {
  const [type, cluster = '', agent = ''] = text.split('/');
  if (type !== authType) return undefined;
  return {
    name: UserName.Agent.of({ cluster, agent }),
    groups: [GroupName.Cluster.of({ cluster }), GroupName.ManagedClusters],
  };
}

/** A hub, and a cluster that joins it with the driver. */
export const startSpokenFleet = () =>
  startFleet({
    driver: { hub: spoken, agent: (flags) => bindDriver(spoken, flags), authenticateToken: userOf },
  });
