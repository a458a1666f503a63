import { type ClusterManager, clusterManagers, Label } from '@flotilla/api-types';
import {
  pendingReason,
  type Removal,
  releaseFinalizers,
  removeHub,
  WaitTimeoutError,
  waitFor,
  waitOf,
} from '@flotilla/install';

/** How long an operator may take before force is used. */
const graceMs = 30_000;

/** What the operator says about the removal, or what holds the object. */
const reasonOf = (object: ClusterManager): string => {
  const applied = object.status?.conditions?.find(({ type, status }) => type === 'Applied' && status === 'False');
  return applied ? shortened(applied.message) : pendingReason(object);
};

/** The operator lists all objects that it waits for. */
const shortened = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

/** Deletes a ClusterManager and waits until its operator has removed the hub. By force the rest is removed without it. */
export async function removeClusterManager(removal: Removal, name: string): Promise<void> {
  const { client, dryRun, force, timeoutMs, reporter } = removal;
  const handle = client.resource(clusterManagers);
  const what = `ClusterManager ${name}`;
  if (!(await handle.find(name))) return;
  if (dryRun) return reporter.removed(`${what}, and what its operator made for it`);
  await handle.delete(name);
  const gone = (ms: number) => {
    const hint = `See what it waits for: kubectl get clustermanager ${name} -o yaml. With --force it is removed without the operator.`;
    return waitFor({ ...waitOf(removal), goal: `${what} to go`, hint, timeoutMs: ms }, async () => {
      const left = await handle.find(name);
      return left ? { pending: reasonOf(left) } : { found: true };
    });
  };
  if (!force) await gone(timeoutMs);
  else {
    await gone(Math.min(graceMs, timeoutMs)).catch(async (error: unknown) => {
      if (!(error instanceof WaitTimeoutError)) throw error;
      await releaseFinalizers(handle, name);
      await gone(timeoutMs);
      reporter.note('The operator did not remove the hub in time: what it made is removed without it.');
      const labels = { [Label.CreatedByClusterManager]: name };
      await removeHub({ ...removal, owner: { ...removal.owner, labels } });
    });
  }
  reporter.removed(`${what}, and what its operator made for it`);
}
