import { klusterlets, managedClusters } from '@flotilla/api-types';
import { importerRules } from '@flotilla/install';
import { findCondition } from '@flotilla/kube';
import { clusterRoleBindings, clusterRoles, namespaces, secrets } from '@flotilla/kube/kinds';
import { formatKubeconfig, kubeconfigFor } from '@flotilla/kube/kubeconfig';
import type { KubeObject } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { startFleet } from '../registration/fleet.ts';
import { apply, type Server, serverKinds, startServer } from '../registration/servers.ts';
import { startAgentCluster } from './agent-cluster.ts';

const apiVersion = 'cluster.x-k8s.io/v1beta1';

/** As much of Cluster API as the hub reads. */
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'clusters.cluster.x-k8s.io',
    annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes-sigs/cluster-api' },
  },
  spec: {
    group: 'cluster.x-k8s.io',
    scope: 'Namespaced',
    names: { kind: 'Cluster', plural: 'clusters', singular: 'cluster', listKind: 'ClusterList' },
    versions: [
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** What an administrator grants to a hub that shall import this cluster. */
async function grant({ client }: Server): Promise<void> {
  const apiGroup = 'rbac.authorization.k8s.io';
  const kubeconfig = {
    apiGroups: [''],
    resources: ['secrets'],
    resourceNames: ['imported-kubeconfig'],
    verbs: ['get'],
  };
  await client.resource(clusterRoles).create({ metadata: { name: 'importer' }, rules: [...importerRules, kubeconfig] });
  await client.resource(clusterRoleBindings).create({
    metadata: { name: 'importer' },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'importer' },
    subjects: [
      { kind: 'ServiceAccount', namespace: 'open-cluster-management-hub', name: 'registration-controller-sa' },
    ],
  });
}

describe.each(serverKinds)('a hub on %s with the gate ClusterImporter', (kind) => {
  it('installs a klusterlet on a cluster of Cluster API, and the cluster joins', { timeout: 240_000 }, async () => {
    await using fleet = await startFleet(await startServer(kind));
    await using cluster = await startAgentCluster(kind);
    const { hub } = fleet;
    await apply(hub, definition);
    await grant(hub);
    fleet.startHub([
      '--feature-gates=ClusterImporter=true',
      '--import-renderers=render-auto',
      `--hub-apiserver-url=${hub.access.server}`,
    ]);
    await hub.client.resource(namespaces).create({ metadata: { name: 'imported' } });
    await hub.client
      .resource(managedClusters)
      .create({ metadata: { name: 'imported' }, spec: { hubAcceptsClient: true } });
    const provided = { apiVersion, kind: 'Cluster', metadata: { namespace: 'imported', name: 'imported' } };
    await apply(hub, provided);
    const reasonIs = (reason: string) =>
      fleet.admin.seen.until(
        managedClusters,
        reason,
        ({ status }) => findCondition(status?.conditions, 'ManagedClusterImportSucceeded')?.reason === reason,
      );
    await reasonIs('KubeConfigNotFound');
    const ca = hub.access.ca ?? '';
    const info = formatKubeconfig(kubeconfigFor({ server: hub.access.server, ca, origin: 'e2e' }));
    await apply(hub, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'kube-public', name: 'cluster-info' },
      data: { kubeconfig: info },
    } as KubeObject);
    const value = Buffer.from(formatKubeconfig(kubeconfigFor(cluster.server.access))).toString('base64');
    await hub.client
      .resource(secrets)
      .create({ metadata: { namespace: 'imported', name: 'imported-kubeconfig' }, data: { value } });
    await apply(hub, { ...provided, status: { phase: 'Provisioned' } } as KubeObject);
    await reasonIs('ImportSucceed');
    expect((await cluster.server.client.resource(klusterlets).get('klusterlet')).spec?.clusterName).toBe('imported');
    await fleet.admin.approve('imported');
    await fleet.admin.joined('imported');
  });
});
