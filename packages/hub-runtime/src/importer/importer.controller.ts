import {
  ControllerName,
  LogReason,
  type ManagedCluster,
  ManagedClusterCondition,
  managedClusters,
  NamespaceName,
} from '@flotilla/api-types';
import { applyObjects, definitionsToApply, type Owner } from '@flotilla/install';
import { klusterletDefinitions, klusterletObjects } from '@flotilla/install/chart';
import {
  type AccessSource,
  after,
  applyConditions,
  type CachedResource,
  type Clock,
  type ConditionInput,
  type Controller,
  defineController,
  done,
  type Informers,
  isConditionTrue,
  isDeleting,
  type KubeClient,
  KubeError,
  on,
  secretAccess,
} from '@flotilla/kube';
import { type Secret, secrets } from '@flotilla/kube/kinds';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import { BehaviorSubject } from 'rxjs';
import { type ClusterApiCluster, clusterApiKey, isProvisioned } from './cluster-api.policy.ts';
import { imported, importFailed, noKubeconfig } from './importer.status.ts';
import { type RenderOptions, renderersOf, valuesFor } from './renderers.ts';

/** What imports clusters. */
export interface ImporterInput {
  readonly client: KubeClient;
  readonly informers: Informers;
  /** To the clusters, by their kubeconfigs. */
  connect(access: AccessSource): KubeClient;
  /** How Cluster API is served: `clusterApiClusters`. */
  readonly clusterApi: ResourceType<ClusterApiCluster>;
  readonly options: RenderOptions;
  /** Of this program: that of the images which are installed. */
  readonly version: string;
  readonly clock: Clock;
}

/** Nothing on the cluster tells who installed it: from then on it belongs to its administrator, as after `join`. */
const owner: Owner = { labels: {}, fieldManager: ControllerName.Importer };

/** Cluster API writes the Secret soon after the cluster is provisioned; this hub may not watch Secrets. */
const kubeconfigWaitMs = 60_000;

const byClusterApi = 'by-cluster-api';

/** Installs a klusterlet on each cluster of Cluster API that a ManagedCluster is about, once. */
export function importerController(input: ImporterInput): Controller {
  const { informers, clusterApi, clock } = input;
  const clusters = informers.resource(managedClusters, {
    indexes: { [byClusterApi]: (cluster) => [clusterApiKey(cluster)] },
  });
  const provided = informers.resource(clusterApi);
  const renderers = renderersOf(input.options);
  const keysOf = ({ metadata }: KubeObject) =>
    clusters
      .byIndex(byClusterApi, `${metadata?.namespace}/${metadata?.name}`)
      .map((cluster) => cluster.metadata?.name ?? '');
  return defineController({
    name: ControllerName.Importer,
    isOptional: true,
    watches: [on(clusters), on(provided, keysOf)],
    async reconcile(name, { log }) {
      const cluster = clusters.get(name);
      // Whoever may request to join could otherwise have an agent installed on a cluster of somebody else.
      if (!cluster?.spec?.hubAcceptsClient || isDeleting(cluster) || isImported(cluster)) return done;
      const found = provided.get(clusterApiKey(cluster));
      if (!found) return done;
      const report = reporter(clusters, cluster, clock);
      if (!isProvisioned(found)) {
        await report(noKubeconfig);
        return done;
      }
      const secret = await kubeconfigSecret(input, clusterApiKey(cluster)).catch(report.failure('KubeConfigGetFailed'));
      if (!secret) {
        await report(noKubeconfig);
        return after(kubeconfigWaitMs, 'the kubeconfig of the cluster does not exist yet');
      }
      const values = await valuesFor(input.client, name, renderers).catch(report.failure('ConfigRendererFailed'));
      await install(input, secret, klusterletObjects(values, input)).catch(report.failure('ImportFailed'));
      await report(imported);
      log.info('installed the klusterlet', { reason: LogReason.ManagedClusterImported });
      return done;
    },
  });
}

const isImported = ({ status }: ManagedCluster): boolean =>
  isConditionTrue(status?.conditions, ManagedClusterCondition.ImportSucceeded);

function reporter(clusters: CachedResource<ManagedCluster>, cluster: ManagedCluster, clock: Clock) {
  const report = async (condition: ConditionInput): Promise<void> => {
    await applyConditions(clusters, cluster, [condition], { clock });
  };
  return Object.assign(report, {
    /** Reports an error and throws it, for a retry with back-off. */
    failure: (reason: Parameters<typeof importFailed>[0]) => async (error: unknown) => {
      await report(importFailed(reason, error));
      throw error;
    },
  });
}

async function kubeconfigSecret({ client }: ImporterInput, clusterKey: string): Promise<Secret | undefined> {
  const key = `${clusterKey}-kubeconfig`;
  const found = await client
    .resource(secrets)
    .find(key)
    .catch((error: unknown) => {
      if (!KubeError.is(error, 'Forbidden')) throw error;
      const [namespace, name] = key.split('/');
      throw new KubeError('Forbidden', `this hub may not read Secret ${key}`, {
        cause: error,
        hint: `Let its service account get it, by a role in ${namespace} with resourceNames [${name}].`,
      });
    });
  if (found && !found.data?.value) {
    throw new KubeError('Config', `Secret ${key} has no key value`, {
      hint: 'Cluster API writes the kubeconfig there.',
    });
  }
  return found;
}

/** Applies the operator and its Klusterlet on a cluster. */
async function install(input: ImporterInput, secret: Secret, objects: readonly KubeObject[]): Promise<void> {
  const { connect, clock } = input;
  const { namespace, name } = secret.metadata ?? {};
  const data = new BehaviorSubject(secret.data ?? {});
  const access = secretAccess({ data, origin: `Secret ${namespace}/${name}`, clock, key: 'value' });
  const target = connect(access);
  try {
    const definitions = await definitionsToApply(target, await klusterletDefinitions(), owner);
    const operatorNamespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NamespaceName.Operator } };
    await applyObjects(target, [...definitions, operatorNamespace, ...objects], { owner, clock });
  } finally {
    await target.close();
    access.close();
  }
}
