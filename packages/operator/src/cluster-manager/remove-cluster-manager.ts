import { type ClusterManager, Finalizer } from '@flotilla/api-types';
import { after, type ConditionInput, done, findCondition, type Result, removeFinalizer } from '@flotilla/kube';
import { writeReport } from '../apply/index.ts';
import { hubRemoved, notApplied } from './cluster-manager.status.ts';
import { connectHub, type HubContext, othersOf, scopeOf } from './hub-context.ts';
import { failedPhase } from './phase.ts';
import { removeHub, removeRuntime } from './remove-hub.ts';
import { hubBefore } from './validation.policy.ts';

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
      // What is left wakes this when it goes. A connection to another cluster may lose that, and nothing else happens there any more.
      return after(lookAgainMs, 'objects of a deleted hub are left');
    }
  } catch (error) {
    const { message } = failedPhase(error, 'Removing');
    await writeReport(managers, newest(), { conditions: [notApplied('Removing', message)] }, clock);
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
  const { reason } = findCondition(clusterManager.status?.conditions, 'Applied') ?? {};
  if (reason !== hubRemoved.reason) {
    await connectHub(scope, signal);
    const pending = await removeHub(scope, signal);
    if (pending !== undefined) return notApplied('Removing', pending);
    await writeReport(context.managers, clusterManager, { conditions: [hubRemoved] }, context.clock);
  }
  const pending = await removeRuntime(scope);
  return pending === undefined ? undefined : { ...hubRemoved, message: pending };
}
