import { type ClusterManager, ConfigMapName, clusterManagers, SecretName } from '@flotilla/api-types';
import type { CachedResource, Informers } from '@flotilla/kube';
import { Subject } from 'rxjs';
import { createHubClusters, type HubClusters } from './connections.ts';
import { endpointHosts, isBalanced } from './grpc-endpoint.policy.ts';
import { type HubNodes, watchHubNodes } from './hub-nodes.ts';
import { balancedHosts, type HubScope } from './keep-hub.ts';
import { createNamedObjects, type NamedObjects } from './named-objects.ts';
import { PhaseError, phase } from './phase.ts';
import { replicasOf } from './replicas.policy.ts';
import type { HubOperatorDeps } from './settings.ts';
import { operatedHubOf, syncedLabels } from './spec.policy.ts';
import { type TlsProfile, tlsProfile } from './tls-profile.policy.ts';
import { isHosted } from './validation.policy.ts';

const connectWithinMs = 10_000;

/** What all reconciles share: the ClusterManagers, and what the operator watches besides. */
export interface HubContext extends HubOperatorDeps {
  readonly managers: CachedResource<ClusterManager>;
  readonly objects: NamedObjects;
  readonly nodes: HubNodes;
  readonly clusters: HubClusters;
  /** Names of ClusterManagers on whose hosted hub something changed. */
  readonly hostedChanges: Subject<string>;
}

/** Watches what there is. */
export function createHubContext(deps: HubOperatorDeps, informers: Informers): HubContext {
  const objects = createNamedObjects(informers);
  const hostedChanges = new Subject<string>();
  return {
    ...deps,
    managers: informers.resource(clusterManagers),
    objects,
    nodes: watchHubNodes(informers, deps.settings.nodeSelector),
    hostedChanges,
    clusters: createHubClusters(deps, informers, objects, (name) => hostedChanges.next(name)),
  };
}

/** The other ClusterManagers. */
export const othersOf = ({ managers }: HubContext, { metadata }: ClusterManager): ClusterManager[] =>
  managers.list().filter((other) => other.metadata.name !== metadata.name);

/** How programs serve TLS. */
export const profileOf = ({ objects, settings }: HubContext): TlsProfile =>
  tlsProfile(objects.configMap(ConfigMapName.TlsProfile).get(`${settings.namespace}/${ConfigMapName.TlsProfile}`));

/** A hub by its ClusterManager and what is around it, and why it has so many replicas. */
export function scopeOf(context: HubContext, clusterManager: ClusterManager): { scope: HubScope; why: string } {
  const { settings, objects, nodes, clusters, clock } = context;
  const { management } = clusters;
  const hosted = isHosted(clusterManager);
  const { replicas, why } = replicasOf({
    given: settings.replicas,
    hosted,
    controlPlaneNodes: nodes.controlPlane(),
    nodes: nodes.all(),
  });
  const pullSecret = SecretName.ImagePullCredentials;
  const hub = operatedHubOf(clusterManager, settings, {
    replicas,
    tlsFlags: profileOf(context).flags,
    hasPullSecret: objects.secret(pullSecret).has(`${settings.namespace}/${pullSecret}`),
  });
  const { spec = {}, metadata, status } = clusterManager;
  const labels = settings.syncLabels ? syncedLabels(clusterManager) : {};
  const owner = { name: metadata.name ?? '', labels, generations: status?.generations };
  const cluster = clusters.hubOf(clusterManager);
  const balanced = isBalanced(spec) ? balancedHosts({ management, hub }) : [];
  const hosts = [...endpointHosts(spec), ...balanced];
  const grpcHosts = isBalanced(spec) && hosts.length === 0 ? undefined : hosts;
  return { scope: { hub, owner, cluster, management, objects, settings, grpcHosts, clock }, why };
}

/** Waits until what is on the hub is known. A hosted hub needs its kubeconfig for that. */
export async function connectHub({ cluster, hub, objects }: HubScope, signal: AbortSignal): Promise<void> {
  const key = `${hub.namespace}/${SecretName.ExternalHubKubeconfig}`;
  if (hub.hosted && !objects.secret(SecretName.ExternalHubKubeconfig).has(key)) {
    const fix = 'Create it with the kubeconfig of the hub under the key kubeconfig.';
    throw new PhaseError('HubConnectionFailed', `Secret ${key} does not exist. ${fix}`);
  }
  await phase('HubConnectionFailed', async () => {
    await cluster.keeper.whenSynced({ signal, timeoutMs: connectWithinMs });
    await cluster.definitions.whenSynced({ signal, timeoutMs: connectWithinMs });
  });
}
