import { Label } from '@flotilla/api-types';
import {
  operatedApiServices,
  operatedDefinitions,
  operatedWebhooks,
  type Removal,
  removeResidualObjects,
  type WebhookServerName,
  webhookServers,
} from '@flotilla/install';
import { keyOf } from '@flotilla/kube';
import {
  apiServices,
  deployments,
  mutatingWebhookConfigurations,
  namespaces,
  validatingWebhookConfigurations,
} from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { releaseDefinitions, removeDefinitions } from '../apply/index.ts';
import { isServing } from './cluster-manager.status.ts';
import { fieldManager, type HubCluster, renderedKinds } from './connections.ts';
import { type HubScope, isProxyServing } from './keep-hub.ts';

/** Kinds whose objects the hub and its agents clean up after, one after the other, while they still run. */
const firstDefinitions = [
  'managedclusteraddons.addon.open-cluster-management.io',
  'manifestworks.work.open-cluster-management.io',
  'managedclusters.cluster.open-cluster-management.io',
  'manifestworkreplicasets.work.open-cluster-management.io',
];

const residualTimeoutMs = 60_000;

/**
 * Removes a hub in an order in which nothing is left over: its kinds while its controllers run, then what guards it, its programs and
 * rights, and what it made for clusters. Returns what it waits for, or undefined when all is gone but the namespace of its programs.
 */
export async function removeHub(scope: HubScope, signal: AbortSignal): Promise<string | undefined> {
  return (
    (await removeDeadGuards(scope)) ??
    (await removeHubDefinitions(scope)) ??
    (await removeRendered(scope)) ??
    (await removeResidual(scope, signal)) ??
    (scope.hub.hosted ? await removeNamespace(scope.cluster, scope) : undefined)
  );
}

/** Removes the namespace of its programs, with certificates and kubeconfigs: in hosted mode that by which the hub is reached. */
export const removeRuntime = (scope: HubScope): Promise<string | undefined> => removeNamespace(scope.management, scope);

const webhookKinds = [mutatingWebhookConfigurations, validatingWebhookConfigurations];

/**
 * A webhook that no pod answers would refuse to release finalizers, and an API that no pod serves holds up namespaces, so that the hub
 * never went. The others stay to the end.
 */
async function removeDeadGuards(scope: HubScope): Promise<undefined> {
  const { hub, cluster, management, owner } = scope;
  const answers = (server: WebhookServerName): boolean => {
    const name = `${hub.name}-${server}-webhook`;
    return isServing({ name, live: management.keeper.get(deployments, `${hub.namespace}/${name}`) });
  };
  const alive = operatedWebhooks(hub, '', webhookServers.filter(answers));
  await cluster.keeper.removeOthers(owner.name, alive, webhookKinds);
  const served = isProxyServing(scope) ? operatedApiServices(hub, '') : [];
  await cluster.keeper.removeOthers(owner.name, served, [apiServices]);
  return undefined;
}

/** Objects with finalizers hold their definition; it goes after the last of them. */
async function removeHubDefinitions(scope: HubScope): Promise<string | undefined> {
  const { hub, cluster, settings, owner, clock } = scope;
  const label = Label.CreatedByClusterManager;
  const rendered = await operatedDefinitions(
    { ...hub, features: { ...hub.features, clusterProfile: false } },
    undefined,
  );
  const others = rendered.map(keyOf).filter((name) => !firstDefinitions.includes(name));
  if (settings.keepsDefinitions) {
    await releaseDefinitions(cluster.definitions, [...firstDefinitions, ...others], [label]);
    return undefined;
  }
  for (const names of [...firstDefinitions.map((name) => [name]), others]) {
    const left = (await removeDefinitions(cluster.definitions, names, { label, owner: owner.name, clock })).map(keyOf);
    if (left.length === 0) continue;
    const [kind] = left;
    return `There are still remaining CRDs: ${left.join(', ')}. See which objects hold them: kubectl get ${kind} -A`;
  }
  return undefined;
}

async function removeRendered({ cluster, management, owner }: HubScope): Promise<string | undefined> {
  const left: KubeObject[] = [];
  for (const each of new Set<HubCluster>([cluster, management])) {
    left.push(...(await each.keeper.removeAll(owner.name, renderedKinds)));
  }
  return waiting(left);
}

async function removeResidual({ cluster, settings, clock }: HubScope, signal: AbortSignal): Promise<undefined> {
  if (settings.keepsDefinitions) return undefined;
  const nothing = () => {};
  const removal: Removal = {
    client: cluster.client,
    owner: { labels: {}, fieldManager },
    clock,
    signal,
    dryRun: false,
    force: true,
    timeoutMs: residualTimeoutMs,
    reporter: { removed: nothing, left: nothing, pending: nothing, note: nothing },
  };
  await removeResidualObjects(removal);
  return undefined;
}

const removeNamespace = async ({ keeper }: HubCluster, { owner }: HubScope): Promise<string | undefined> =>
  waiting(await keeper.removeAll(owner.name, [namespaces]));

const waiting = (left: readonly KubeObject[]): string | undefined =>
  left.length === 0
    ? undefined
    : `Waiting for objects to go: ${left.map((one) => `${one.kind} ${keyOf(one)}`).join(', ')}`;
