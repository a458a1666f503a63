import { type Klusterlet, Label, NamespaceName, SecretName } from '@flotilla/api-types';
import { type ClusterAccess, isDeleting, KubeError, keyOf } from '@flotilla/kube';
import { type Deployment, deployments, serviceAccounts } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { joinKept, type KeptObjects, type KeptOwner, keepDefinitions } from '../apply/index.ts';
import type { KlusterletConfig } from './config/klusterlet-config.ts';
import { keepCopy } from './copies.ts';
import type { KlusterletDeps } from './deps.ts';
import { keepAgentKubeconfigs } from './hosted/agent-kubeconfigs.ts';
import type { FailedStep } from './klusterlet.status.ts';
import { type KlusterletCluster, managedKinds, managementKinds } from './managed-cluster.ts';
import { aggregateRole, managedAccess, managementAccess } from './render/access.ts';
import { agentDeployments } from './render/agents.ts';
import { klusterletDefinitions } from './render/definitions.ts';
import { addOnNamespace, hostedNamespace, managedNamespace } from './render/namespaces.ts';
import { isRolledOut, keptDeployments } from './rollout.policy.ts';

/** What one reconcile works on. */
export interface KlusterletScope {
  readonly deps: KlusterletDeps;
  readonly klusterlet: Klusterlet;
  readonly owner: KeptOwner;
  readonly config: KlusterletConfig;
  /** The cluster of the operator or, hosted, the one that its administrator gave access to. */
  readonly managed: KlusterletCluster;
  /** To the managed cluster of a hosted klusterlet. */
  readonly access?: ClusterAccess | undefined;
}

/** A step failed, with the reason for the condition. */
export class StepError extends Error {
  override readonly name = 'StepError';
  readonly reason: FailedStep;

  constructor(reason: FailedStep, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.reason = reason;
  }
}

/** What came of all steps. */
export interface AppliedKlusterlet {
  readonly kept: KeptObjects;
  /** When a token of a hosted agent is to be renewed. */
  readonly renewAfterMs?: number;
}

/** Applies all that a Klusterlet asks for, in an order in which nothing starts before it has its rights. */
export async function applyKlusterlet(scope: KlusterletScope): Promise<AppliedKlusterlet> {
  const { config, managed } = scope;
  const definitions = await step('CRDApplyFailed', async () =>
    keepDefinitions(managed.definitions, await klusterletDefinitions(config)),
  );
  await step('KlusterletApplyFailed', () => keepNamespaces(scope));
  const onManaged = await step('ManagedClusterResourceApplyFailed', () => keepManagedAccess(scope));
  const onManagement = await step('ManagementClusterResourceApplyFailed', () =>
    scope.deps.local.keeper.apply(scope.owner, managementAccess(config)),
  );
  return step('KlusterletApplyFailed', async () => {
    const renewAfterMs = config.isHosted ? await keepHostedAccess(scope) : undefined;
    const agents = await scope.deps.local.keeper.apply(scope.owner, agentDeployments(config));
    const kept = withoutDuplicates(joinKept(definitions, onManaged, onManagement, agents));
    return { kept, ...(renewAfterMs !== undefined && { renewAfterMs }) };
  });
}

async function step<T>(reason: FailedStep, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw new StepError(reason, error);
  }
}

async function keepNamespaces({ deps, owner, config, managed }: KlusterletScope): Promise<void> {
  const { local, options } = deps;
  const name = SecretName.ImagePullCredentials;
  const pullSecret = local.pullSecrets.get(`${options.namespace}/${name}`);
  if (config.managesAddOnNamespace) {
    const wanted = addOnNamespace();
    const found = managed.addOnNamespace.get(keyOf(wanted));
    // It has no owner: klusterlets share it.
    if (!found) await managed.addOnNamespace.create(wanted).catch(unlessThere);
    await keepCopy(managed.pullSecrets, pullSecret, { namespace: NamespaceName.AgentAddOn, name });
  }
  await managed.keeper.apply(owner, [managedNamespace(config)]);
  if (config.isHosted) await local.keeper.apply(owner, [hostedNamespace(config.name)]);
  await keepCopy(local.pullSecrets, pullSecret, { namespace: config.agentNamespace, name });
}

const unlessThere = (error: unknown): void => {
  if (!KubeError.is(error, 'AlreadyExists')) throw error;
};

async function keepManagedAccess({ owner, config, managed }: KlusterletScope): Promise<KeptObjects> {
  if (config.grantsWorkPayloads) await managed.keeper.apply(owner, [aggregateRole(config.name)]);
  return managed.keeper.apply(owner, managedAccess(config));
}

async function keepHostedAccess({ deps, config, managed, access }: KlusterletScope): Promise<number> {
  if (!access) throw new KubeError('Config', 'the managed cluster of a hosted klusterlet is not known');
  return keepAgentKubeconfigs(config, {
    secrets: deps.secrets,
    managed: managed.client,
    accountAt: (key) => managed.keeper.get(serviceAccounts, key),
    access,
    clock: deps.clock,
  });
}

const withoutDuplicates = ({ relatedResources, generations }: KeptObjects): KeptObjects => ({
  relatedResources: [...new Map(relatedResources.map((one) => [JSON.stringify(one), one])).values()],
  generations,
});

/**
 * Removes what is rendered no more: agents of another mode or namespace, and what only they needed. They stay until those that replace
 * them work, so that the cluster always has an agent.
 */
export async function removeReplaced({ deps, config, managed }: KlusterletScope): Promise<void> {
  const { keeper } = deps.local;
  const agents = agentDeployments(config);
  const live = (deployment: Deployment) => keeper.get(deployments, keyOf(deployment));
  if (!agents.every((deployment) => isRolledOut(live(deployment)))) return;
  const onManaged: KubeObject[] = [...managedAccess(config), aggregateRole(config.name)];
  const onManagement = [...managementAccess(config), ...keptDeployments(config)];
  const payloads = config.grantsWorkPayloads ? onManaged : managedAccess(config);
  if (config.isHosted) {
    await managed.keeper.removeOthers(config.name, payloads, managedKinds);
    await keeper.removeOthers(config.name, onManagement, managementKinds);
  } else await keeper.removeOthers(config.name, [...payloads, ...onManagement], managementKinds);
}

/** Deletes the namespaces that a klusterlet had before, once all is in the one that it has now. */
export async function removeFormerNamespaces({ config, managed }: KlusterletScope): Promise<void> {
  const kept = [config.klusterletNamespace, config.agentNamespace, NamespaceName.AgentAddOn];
  for (const namespace of managed.namespaces.list()) {
    const isOurs = namespace.metadata?.labels?.[Label.KlusterletNamespace] === config.name;
    if (!isOurs || isDeleting(namespace) || kept.includes(keyOf(namespace))) continue;
    await managed.namespaces.delete(keyOf(namespace));
  }
}
