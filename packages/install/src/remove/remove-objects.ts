import { type KubeClient, KubeError, keyOf, type ResourceHandle } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import { isOwnedBy } from '../ownership.ts';
import { WaitTimeoutError, waitFor } from '../wait.ts';
import { pendingReason, releaseFinalizers } from './finalizers.ts';
import { type Removal, waitOf } from './removal.ts';
import { retryStalledCleanup } from './stalled-cleanup.ts';

/** How long the program that set a finalizer may take before force is used. */
const graceMs = 10_000;

/** Removes those of the objects that exist and belong to the owner. Groups are removed one after the other, the objects of one group together. */
export async function removeObjects(removal: Removal, groups: readonly (readonly KubeObject[])[]): Promise<void> {
  const { client, owner } = removal;
  for (const group of groups) {
    await Promise.all(
      group.map(async (object) => {
        const handle = await handleOf(client, object);
        const found = await handle?.find(keyOf(object));
        // One of another owner stays, such as the cluster-info of kubeadm.
        if (handle && found && isOwnedBy(owner, found)) await removeObject(removal, handle, { ...object, ...found });
      }),
    );
  }
}

/** Deletes one object, whoever created it, and waits until it is gone. */
export async function removeObject(
  removal: Removal,
  handle: ResourceHandle<KubeObject>,
  object: KubeObject,
): Promise<void> {
  const { dryRun, force, forceHint, timeoutMs, reporter } = removal;
  const what = `${object.kind} ${keyOf(object)}`;
  const key = keyOf(object);
  if (dryRun) return reporter.removed(what);
  await handle.delete(key);
  const hints = [`See what holds it: kubectl get ${object.kind} ${object.metadata?.name} -o yaml.`, forceHint];
  const hint = hints.filter((text) => text !== undefined).join(' ');
  const gone = (ms: number) =>
    waitFor({ ...waitOf(removal), goal: `${what} to go`, hint, timeoutMs: ms }, async () => {
      const left = await handle.find(key);
      if (!left) return { found: true };
      await retryStalledCleanup(handle, left, removal.clock);
      return { pending: pendingReason(left) };
    });
  if (!force) await gone(timeoutMs);
  else {
    await gone(Math.min(graceMs, timeoutMs)).catch(async (error: unknown) => {
      if (!(error instanceof WaitTimeoutError)) throw error;
      await releaseFinalizers(handle, key);
      await gone(timeoutMs);
      reporter.note(`${what} was held by a program that did not answer; what it cleans up may be left behind.`);
    });
  }
  reporter.removed(what);
}

/** The resource of an object; undefined if the server does not serve its kind. */
async function handleOf(
  client: KubeClient,
  { apiVersion = '', kind = '' }: KubeObject,
): Promise<ResourceHandle<KubeObject> | undefined> {
  try {
    return await client.dynamic({ apiVersion, kind });
  } catch (error) {
    if (KubeError.is(error, 'UnknownKind', 'NotFound')) return undefined;
    throw error;
  }
}
