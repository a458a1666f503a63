import {
  Annotation,
  type AppliedManifestWork,
  Finalizer,
  type Klusterlet,
  NamespaceName,
  SecretName,
} from '@flotilla/api-types';
import { after, done, hasFinalizer, isDeleting, keyOf, type Result, removeFinalizer } from '@flotilla/kube';
import { type Deployment, deployments, namespaces } from '@flotilla/kube/kinds';
import { formatTime, parseTime } from '@flotilla/kube/meta';
import { releaseDefinitions, writeReport } from '../../apply/index.ts';
import { agentNamespace, isHosted, klusterletNamespace, modeOf } from '../config/mode.ts';
import type { KlusterletDeps } from '../deps.ts';
import { type KlusterletCluster, managedKinds, managementKinds } from '../managed-cluster.ts';
import { type AgentKind, agentDeploymentName, hostedSecretOf } from '../render/agents.ts';
import { definitionNames } from '../render/definitions.ts';
import { waitsFor } from './cleanup.status.ts';
import { evictionMs, isOutOfReach, outOfReachSince } from './reachability.policy.ts';
import { releaseWorks, worksOf } from './release-works.ts';

/** How long pods of agents may take to end. A node that is dead never says so. */
const agentGraceMs = 60_000;

/** How long the managed cluster may take to answer. */
const probeMs = 10_000;

const agents: readonly AgentKind[] = ['registration', 'work', 'singleton'];

/**
 * Removes a klusterlet: its agents first, so that none of them acts any more, then what it has on the managed cluster, then the rest.
 * What works applied stays.
 */
export async function cleanUp(deps: KlusterletDeps, klusterlet: Klusterlet, signal: AbortSignal): Promise<Result> {
  if (!hasFinalizer(klusterlet, Finalizer.KlusterletCleanup)) return finish(deps, klusterlet);
  const stopping = await stopAgents(deps, klusterlet);
  if (stopping) return stopping;
  const waiting = await leaveManagedCluster(deps, klusterlet, signal);
  if (waiting) return waiting;
  // Before the namespace with the kubeconfig goes: a reconcile that comes after it must not wait for that kubeconfig.
  const released = await removeFinalizer(deps.klusterlets, klusterlet, Finalizer.KlusterletHostedCleanup);
  await leaveManagementCluster(deps, klusterlet);
  return finish(deps, released ?? klusterlet);
}

/** Deletes the Deployments and waits until their pods are gone, for a while. */
async function stopAgents(
  { local, client, clock, deletions }: KlusterletDeps,
  klusterlet: Klusterlet,
): Promise<Result | undefined> {
  const namespace = agentNamespace(klusterlet);
  const { name = '' } = klusterlet.metadata ?? {};
  const found = agents
    .map((agent) => local.keeper.get(deployments, `${namespace}/${agentDeploymentName(name, agent)}`))
    .filter((deployment): deployment is Deployment => deployment !== undefined);
  const handle = client.resource(deployments);
  for (const deployment of found) {
    if (!isDeleting(deployment)) await handle.delete(keyOf(deployment), { propagationPolicy: 'Foreground' });
  }
  if (found.length === 0) return undefined;
  const since = parseTime(klusterlet.metadata?.deletionTimestamp) ?? clock.now();
  const left = agentGraceMs - deletions.of(name, since);
  return left > 0 ? after(left, 'the pods of the agents are ending') : undefined;
}

/** Cleans up the managed cluster. Returns what is waited for, if it cannot be done now. */
async function leaveManagedCluster(
  deps: KlusterletDeps,
  klusterlet: Klusterlet,
  signal: AbortSignal,
): Promise<Result | undefined> {
  const { name = '', uid = '' } = klusterlet.metadata ?? {};
  const mode = modeOf(klusterlet) ?? 'Default';
  let cluster: KlusterletCluster = deps.local;
  if (isHosted(mode)) {
    // It never had anything there.
    if (!hasFinalizer(klusterlet, Finalizer.KlusterletHostedCleanup)) return undefined;
    const secret = deps.secrets.get(name, SecretName.ExternalManagedKubeconfig);
    if (!secret) {
      await report(deps, klusterlet, waitsFor.kubeconfig(name));
      return done;
    }
    cluster = deps.hosted.of(name, secret);
  }
  let works: readonly AppliedManifestWork[];
  try {
    works = await worksOf(cluster.client, uid, probeMs);
  } catch (error) {
    return unreachable(deps, klusterlet, error);
  }
  await releaseWorks(cluster.client, works);
  if (isHosted(mode)) {
    await cluster.whenSynced({ signal, timeoutMs: probeMs });
    await cluster.keeper.removeAll(name, managedKinds);
  }
  await removeNamespaces(deps, klusterlet, cluster);
  if (isHosted(mode) || deps.klusterlets.size === 1) {
    await releaseDefinitions(cluster.definitions, Object.values(definitionNames), []);
  }
  return undefined;
}

/** Waits for a managed cluster that cannot be reached, and gives it up after a while. */
async function unreachable(deps: KlusterletDeps, klusterlet: Klusterlet, error: unknown): Promise<Result | undefined> {
  const { klusterlets, clock, outages } = deps;
  const since = outOfReachSince(klusterlet);
  const stamp = (value: string | null) => ({
    metadata: { annotations: { [Annotation.ManagedResourcesEvictionTimestamp]: value } },
  });
  if (!isHosted(modeOf(klusterlet) ?? 'Default') || !isOutOfReach(error)) {
    if (since !== undefined) await klusterlets.patch(keyOf(klusterlet), { type: 'merge', body: stamp(null) });
    throw error;
  }
  // The annotation has no milliseconds, and is the same time when it is read.
  const start = since ?? Math.floor(clock.now() / 1000) * 1000;
  if (since === undefined) {
    await klusterlets.patch(keyOf(klusterlet), { type: 'merge', body: stamp(formatTime(start)) });
  }
  const left = evictionMs - outages.of(keyOf(klusterlet), start);
  if (left <= 0) return undefined;
  await report(deps, klusterlet, waitsFor.managedCluster(error, start + evictionMs));
  return after(Math.min(left, 30_000), 'the managed cluster is out of reach');
}

const report = (deps: KlusterletDeps, klusterlet: Klusterlet, condition: ReturnType<typeof waitsFor.kubeconfig>) =>
  writeReport(deps.klusterlets, klusterlet, { conditions: [condition] }, deps.clock);

/** Deletes the namespace of a klusterlet, and that of add-ons if no other klusterlet is on the cluster. */
async function removeNamespaces(
  deps: KlusterletDeps,
  klusterlet: Klusterlet,
  cluster: KlusterletCluster,
): Promise<void> {
  const own = klusterletNamespace(klusterlet);
  const others = cluster.namespaces.list().filter((namespace) => keyOf(namespace) !== own && !isDeleting(namespace));
  const isShared = others.length > 0;
  if (cluster.namespaces.has(own)) await cluster.namespaces.delete(own);
  const { AgentAddOn } = NamespaceName;
  if (deps.options.managesAddOnNamespace && !isShared && cluster.addOnNamespace.has(AgentAddOn)) {
    await cluster.addOnNamespace.delete(AgentAddOn);
  }
}

/** Deletes what a klusterlet has where its agents ran; the namespace of hosted agents last. */
async function leaveManagementCluster({ local, secrets }: KlusterletDeps, klusterlet: Klusterlet): Promise<void> {
  const namespace = agentNamespace(klusterlet);
  const { name = '' } = klusterlet.metadata ?? {};
  await secrets.delete(namespace, SecretName.HubKubeconfig);
  for (const agent of agents) await secrets.delete(namespace, hostedSecretOf(agent));
  await local.keeper.removeAll(name, managementKinds);
  if (isHosted(modeOf(klusterlet) ?? 'Default')) await local.client.resource(namespaces).delete(namespace);
}

async function finish(
  { klusterlets, hosted, deletions, outages }: KlusterletDeps,
  klusterlet: Klusterlet,
): Promise<Result> {
  const { name = '' } = klusterlet.metadata ?? {};
  await hosted.release(name);
  deletions.forget(name);
  outages.forget(name);
  const left = await removeFinalizer(klusterlets, klusterlet, Finalizer.KlusterletHostedCleanup);
  if (left) await removeFinalizer(klusterlets, left, Finalizer.KlusterletCleanup);
  return done;
}
