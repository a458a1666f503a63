import { type Klusterlet, klusterlets, NamespaceName, SecretName } from '@flotilla/api-types';
import { namespaces, secrets } from '@flotilla/kube/kinds';
import { isOwnedBy } from '../ownership.ts';
import type { Removal } from '../remove/removal.ts';
import { removeObject, removeObjects } from '../remove/remove-objects.ts';
import { agentNamespaces } from './agent-manifests.ts';
import { clusterProxyGrant } from './cluster-proxy.ts';
import { agentDefinitions } from './definitions.ts';
import { orphanWorks } from './orphan-works.ts';
import type { IsOwnWork } from './own-works.ts';
import { stopAgent } from './stop-agent.ts';

/** Which membership of a cluster ends, and what belongs to others. */
export interface Membership {
  readonly klusterlet: Klusterlet | undefined;
  /** By which the cluster is on other hubs. */
  readonly others: readonly Klusterlet[];
  readonly isOwnWork: IsOwnWork;
  /** An operator serves them: they go with it, or stay with it. */
  readonly keepsDefinitions?: boolean;
}

/**
 * Removes what prepared a cluster for its agent: the Klusterlet first, so that the agent stops before its credentials are deleted.
 * Without a Klusterlet it removes what an interrupted removal left. What other Klusterlets need stays: without its definition, all
 * that their hubs applied would be deleted.
 */
export async function removeAgent(
  removal: Removal,
  { klusterlet, others, isOwnWork, keepsDefinitions = false }: Membership,
): Promise<void> {
  const { client, owner, force, dryRun } = removal;
  const namespace = klusterlet?.spec?.namespace ?? NamespaceName.Agent;
  if (klusterlet) await removeObject(removal, client.resource(klusterlets), { ...klusterlet, kind: klusterlets.kind });
  if (force) {
    if (!dryRun) await stopAgent(removal, namespace);
    await orphanWorks(removal, isOwnWork);
  }
  const found = klusterlet && (await client.resource(namespaces).find(namespace));
  const isShared = others.some(({ spec }) => (spec?.namespace ?? NamespaceName.Agent) === namespace);
  if (found && (isShared || !isOwnedBy(owner, found))) await removeCredentials(removal, namespace);
  if (others.length > 0 && !isShared) {
    await removeObjects(removal, [agentNamespaces().filter(({ metadata }) => metadata?.name === namespace)]);
  }
  if (others.length > 0) return;
  await removeObjects(removal, [clusterProxyGrant()]);
  await removeObjects(removal, [agentNamespaces()]);
  // An agent that was about to end may have written a record once more, and its finalizer would hold the definition forever.
  if (!dryRun) await orphanWorks(removal, isOwnWork);
  if (!keepsDefinitions) await removeObjects(removal, [await agentDefinitions()]);
}

/** A namespace of another owner may hold more than an agent; without its credentials nothing of the membership is left. */
export async function removeCredentials(removal: Removal, namespace: string): Promise<void> {
  const handle = removal.client.resource(secrets);
  const endpoint = `${SecretName.HubKubeconfig}-addon-endpoint`;
  for (const name of [SecretName.BootstrapHubKubeconfig, SecretName.HubKubeconfig, endpoint]) {
    const found = await handle.find(`${namespace}/${name}`);
    if (found) await removeObject(removal, handle, { ...found, kind: secrets.kind });
  }
}
