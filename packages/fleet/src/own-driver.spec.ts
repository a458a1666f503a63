import { DataKey, GroupName, managedClusters, manifestWorks, UserName } from '@flotilla/api-types';
import { isConditionTrue } from '@flotilla/kube';
import { certificateSigningRequests, configMaps } from '@flotilla/kube/kinds';
import { bindDriver } from '@flotilla/registration-core/agent';
import { authTypeAnnotation, declaredAuthType, defineDriver } from '@flotilla/registration-core/contract';
import { kubeBootstrapOptions, kubeHub } from '@flotilla/registration-core/kube-hub';
import { expect, it } from 'vitest';
import { startFleet } from './index.ts';

const authType = 'spoken';

/** As a third party would write one. The token is the name of the cluster and of the agent: good enough for a test. */
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

function userOf(text: string) {
  const [type, cluster = '', agent = ''] = text.split('/');
  if (type !== authType) return undefined;
  return {
    name: UserName.Agent.of({ cluster, agent }),
    groups: [GroupName.Cluster.of({ cluster }), GroupName.ManagedClusters],
  };
}

it('joins clusters with a driver of a third party, whose tokens a function authenticates', async () => {
  await using fleet = await startFleet({
    driver: { hub: spoken, agent: (flags) => bindDriver(spoken, flags), authenticateToken: userOf },
  });
  const { metadata } = await fleet.hub.resource(managedClusters).get('cluster1');
  expect(metadata?.annotations).toMatchObject({ [authTypeAnnotation]: authType });
  expect((await fleet.hub.resource(certificateSigningRequests).list()).items).toEqual([]);
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'hello' } };
  const works = fleet.hub.resource(manifestWorks);
  await works.create({ metadata: { namespace: 'cluster1', name: 'w' }, spec: { workload: { manifests: [manifest] } } });
  await fleet.until(works, 'cluster1/w', ({ status }) => isConditionTrue(status?.conditions, 'Available'));
  expect(await fleet.managed('cluster1').resource(configMaps).find('default/hello')).toBeDefined();
});
