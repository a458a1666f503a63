import type { KubeObject } from '@flotilla/api-types';
import { isAbsence, type KubeClient, KubeError, type ResourceHandle } from '@flotilla/kube';
import { describeObject, keyOf } from './apply.ts';
import type { CliContext } from './context.ts';
import { isTimeout } from './errors.ts';
import type { Progress } from './output/progress.ts';
import { isMadeByCli } from './ownership.ts';
import { waitFor } from './waiting.ts';

/** How things are taken away. */
export interface Removal {
  readonly context: CliContext;
  readonly client: KubeClient;
  readonly dryRun: boolean;
  /** Does not wait for whoever holds an object by a finalizer longer than a moment. */
  readonly force: boolean;
  readonly timeoutMs: number;
  readonly progress: Progress;
  /** Told of each object when it is gone, or would be. */
  readonly removed: (what: string) => void;
}

/** How long somebody who holds an object may take to let go before force is used. */
const graceMs = 10_000;

/** Takes away those objects that are there and that the command line made; objects of one group go at the same time. */
export async function removeObjects(removal: Removal, groups: readonly (readonly KubeObject[])[]): Promise<void> {
  for (const group of groups) {
    await Promise.all(
      group.map(async (object) => {
        const handle = await handleOf(removal.client, object);
        const found = await handle?.find(keyOf(object));
        // Somebody else's, such as the cluster-info of kubeadm, stays.
        if (handle && found && isMadeByCli(found)) await removeObject(removal, handle, { ...object, ...found });
      }),
    );
  }
}

/** Takes one object away and waits until it is gone. */
export async function removeObject(
  removal: Removal,
  handle: ResourceHandle<KubeObject>,
  object: KubeObject,
): Promise<void> {
  const { context, dryRun, force, timeoutMs, progress, removed } = removal;
  const what = describeObject(object);
  const key = keyOf(object);
  if (dryRun) return removed(what);
  await handle.delete(key);
  const gone = (ms: number) =>
    waitFor(
      context,
      {
        goal: `${what} to go`,
        hint: `See what holds it: kubectl get ${object.kind} ${object.metadata?.name} -o yaml. With --force it is not waited for.`,
        timeoutMs: ms,
        progress,
      },
      async () => {
        const left = await handle.find(key);
        return left ? { pending: pendingReason(left) } : { found: true };
      },
    );
  if (!force) await gone(timeoutMs);
  else {
    await gone(Math.min(graceMs, timeoutMs)).catch(async (error: unknown) => {
      if (!isTimeout(error)) throw error;
      await letGo(handle, key);
      await gone(timeoutMs);
      progress.done(`${what} was held by somebody who did not answer; what they clean up may be left behind.`);
    });
  }
  removed(what);
}

/** Takes the finalizers off an object: whoever put them there cleans up no more. */
export async function letGo(handle: ResourceHandle<KubeObject>, key: string): Promise<void> {
  await handle.patch(key, { type: 'merge', body: { metadata: { finalizers: null } } }).catch((error: unknown) => {
    if (!isAbsence(error)) throw error;
  });
}

function pendingReason({ metadata }: KubeObject): string {
  const finalizers = metadata?.finalizers ?? [];
  return finalizers.length === 0 ? 'it is still there' : `it is held by ${finalizers.join(', ')}`;
}

/** The calls on the kind of an object; undefined if the server has no such kind. */
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
