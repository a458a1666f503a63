import { type Klusterlet, klusterlets, type ManifestWork, manifestWorks } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { isConditionTrue } from '@flotilla/kube';
import {
  clusterRoleBindings,
  configMaps,
  deployments,
  namespaces,
  type Pod,
  pods,
  secrets,
  serviceAccounts,
} from '@flotilla/kube/kinds';
import { expect, it, vi } from 'vitest';
import { pinnedVersion } from '../ocm/programs.ts';
import { type AgentCluster, bootstrapOf, startAgentCluster } from '../operator/agent-cluster.ts';
import { startFleet } from '../registration/fleet.ts';
import { apply, startServer } from '../registration/servers.ts';
import { ocmImages, ocmOperator, ocmOperatorRights, type Project, registry, writerOf } from './ocm-operator.ts';

const agent = 'open-cluster-management-agent';

const work = (name: string): ManifestWork => ({
  metadata: { namespace: 'edge', name },
  spec: {
    workload: {
      manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name }, data: { a: 'b' } }],
    },
  },
});

const isNamed =
  (name: string) =>
  ({ metadata }: { metadata?: { name?: string } }) =>
    metadata?.name === name;

/** Waits until both agents run these images by this operator, each alone. */
async function agentsRun({ seen }: AgentCluster, by: Project, images: readonly string[]): Promise<void> {
  for (const [at, name] of ['klusterlet-registration-agent', 'klusterlet-work-agent'].entries()) {
    await seen.until(
      deployments,
      `${name} with ${images[at]} by the operator of ${by}`,
      ({ metadata, spec, status }) =>
        metadata?.name === name &&
        writerOf({ metadata, spec }) === by &&
        spec?.template.spec?.containers[0]?.image === images[at] &&
        status?.observedGeneration === metadata.generation &&
        status?.updatedReplicas === 1 &&
        status.availableReplicas === 1,
    );
  }
}

it("is handed from OCM's operator to ours, its agents too, and back", { timeout: 400_000 }, async () => {
  const version = await pinnedVersion();
  const ocm = [`${registry}/registration:${version}`, `${registry}/work:${version}`] as const;
  const ours = ['flotilla/agent:v1', 'flotilla/agent:v1'] as const;
  await using fleet = await startFleet(await startServer('kube-apiserver'));
  fleet.startHub();
  await using cluster = await startAgentCluster('kube-apiserver', await ocmImages('machine'));
  const { client } = cluster.server;
  const definitions = customResourceDefinitions().filter(({ metadata }) => metadata.name.startsWith('klusterlets.'));
  for (const definition of definitions) await apply(cluster.server, definition);
  for (const name of ['open-cluster-management', agent])
    await client.resource(namespaces).create({ metadata: { name } });
  await client
    .resource(serviceAccounts)
    .create({ metadata: { namespace: 'open-cluster-management', name: 'klusterlet' } });
  await client.resource(clusterRoleBindings).create(ocmOperatorRights('klusterlet'));
  const data = { kubeconfig: Buffer.from(bootstrapOf(fleet.bootstrap)).toString('base64') };
  await client.resource(secrets).create({ metadata: { namespace: agent, name: 'bootstrap-hub-kubeconfig' }, data });
  const setImages = ([registrationImagePullSpec, workImagePullSpec]: readonly [
    string,
    string,
  ]): Klusterlet['spec'] => ({
    registrationImagePullSpec,
    workImagePullSpec,
  });
  const works = fleet.hub.client.resource(manifestWorks);
  const applies = async (name: string) => {
    await works.create(work(name));
    await fleet.admin.seen.until(
      manifestWorks,
      `work ${name}`,
      (one) => isNamed(name)(one) && isConditionTrue(one.status?.conditions, 'Available'),
    );
  };

  await client.resource(deployments).create(ocmOperator('klusterlet', version));
  const klusterlet = { metadata: { name: 'klusterlet' }, spec: { clusterName: 'edge', ...setImages(ocm) } };
  // A definition is served a moment after it is established.
  await vi.waitFor(() => client.resource(klusterlets).create(klusterlet), { timeout: 30_000, interval: 200 });
  await fleet.admin.admit('edge');
  await fleet.admin.joined('edge');
  await agentsRun(cluster, 'ocm', ocm);
  await applies('first');
  const first = await client.resource(configMaps).get('default/first');
  using touched = await cluster.seen.record(configMaps, isNamed('first'));

  await client.resource(deployments).delete('open-cluster-management/klusterlet');
  await cluster.seen.gone(deployments, 'open-cluster-management/klusterlet');
  await client.resource(clusterRoleBindings).delete('ocm-operator');
  await cluster.install({ klusterlet: { create: false } });
  await agentsRun(cluster, 'flotilla', ocm);
  await applies('second');
  await client.resource(klusterlets).patch('klusterlet', { type: 'merge', body: { spec: setImages(ours) } });
  await agentsRun(cluster, 'flotilla', ours);
  await applies('third');

  await client.resource(deployments).delete('open-cluster-management/klusterlet');
  await cluster.seen.gone(deployments, 'open-cluster-management/klusterlet');
  await client.resource(clusterRoleBindings).create(ocmOperatorRights('klusterlet'));
  await client.resource(deployments).create(ocmOperator('klusterlet', version));
  await client.resource(klusterlets).patch('klusterlet', { type: 'merge', body: { spec: setImages(ocm) } });
  await agentsRun(cluster, 'ocm', ocm);
  await cluster.seen.until(
    pods,
    'an agent of OCM',
    (pod: Pod) => pod.spec?.containers[0]?.image === ocm[1] && pod.status?.phase === 'Running',
  );
  await applies('fourth');

  expect((await client.resource(configMaps).get('default/first')).metadata?.uid).toBe(first.metadata?.uid);
  expect(touched.changes.filter(({ type }) => type === 'deleted')).toEqual([]);
  expect((await fleet.admin.requests('edge')).length).toBe(1);
});
