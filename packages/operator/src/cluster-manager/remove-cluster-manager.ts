import { type ClusterManager, Finalizer } from '@flotilla/api-types';
import { after, type ConditionInput, done, findCondition, type Result, removeFinalizer } from '@flotilla/kube';
import { writeReport } from '../apply/index.ts';
import { hubRemoved, notApplied } from './cluster-manager.status.ts';
import { connectHub, type HubContext, othersOf, scopeOf } from './hub-context.ts';
import { failedPhase } from './phase.ts';
import { removeHub, removeRuntime } from './remove-hub.ts';
import { hubBefore } from './validation.policy.ts';

/** For an object that came and went while a watch was being opened again: no cache ever had it, so nothing reports that it is gone. */
const lookAgainMs = 30_000;

/** Removes the hub of a deleted ClusterManager, and releases it when nothing is left. What it waits for is in its status. */
export async function removeClusterManager(
  context: HubContext,
  clusterManager: ClusterManager,
  signal: AbortSignal,
): Promise<Result> {
  const { managers, clusters, clock } = context;
  const name = clusterManager.metadata.name ?? '';
  const newest = () => managers.get(name) ?? clusterManager;
  try {
    const pending = await pendingRemoval(context, clusterManager, signal);
    if (pending) {
      await writeReport(managers, newest(), { conditions: [pending] }, clock);
      return after(lookAgainMs, 'objects of a deleted hub are left');
    }
  } catch (error) {
    const { message } = failedPhase(error, 'Removing');
    // A mark that the hub is gone stays, whatever fails after it: with the namespace goes the kubeconfig, and the hub cannot be asked again.
    const condition = (await isHubRemoved(context, name))
      ? { ...hubRemoved, message }
      : notApplied('Removing', message);
    await writeReport(managers, newest(), { conditions: [condition] }, clock);
    throw error;
  }
  await removeFinalizer(managers, newest(), Finalizer.ClusterManagerCleanup);
  await clusters.release(name);
  return done;
}

/** What is waited for. Once its hub is gone the status says so, since a hosted hub cannot be asked any more. */
async function pendingRemoval(
  context: HubContext,
  clusterManager: ClusterManager,
  signal: AbortSignal,
): Promise<ConditionInput | undefined> {
  // One that waits for another to go has nothing to remove.
  if (hubBefore(clusterManager, othersOf(context, clusterManager))) return undefined;
  const { scope } = scopeOf(context, clusterManager);
  if (!(await isHubRemoved(context, scope.owner.name))) {
    await connectHub(scope, signal);
    const pending = await removeHub(scope, signal);
    if (pending !== undefined) return notApplied('Removing', pending);
    await writeReport(context.managers, clusterManager, { conditions: [hubRemoved] }, context.clock);
  }
  const pending = await removeRuntime(scope);
  return pending === undefined ? undefined : { ...hubRemoved, message: pending };
}

/** Asked of the server: a cache that is behind would have the operator ask a hub whose kubeconfig is gone. */
async function isHubRemoved({ managers }: HubContext, name: string): Promise<boolean> {
  const { status } = (await managers.find(name)) ?? {};
  return findCondition(status?.conditions, 'Applied')?.reason === hubRemoved.reason;
}
