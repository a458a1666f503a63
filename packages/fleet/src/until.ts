import { type KubeObject, type ResourceHandle, splitKey } from '@flotilla/kube';

/** How long an object is waited for. */
export interface UntilOptions {
  /** Default: 30 seconds. */
  readonly timeoutMs?: number;
}

/** Waits until an object is there and a check holds, and gives it. The key is `name` or `namespace/name`. */
export type Until = <T extends KubeObject>(
  handle: ResourceHandle<T>,
  key: string,
  isIt?: (object: T) => boolean,
  options?: UntilOptions,
) => Promise<T>;

export const until: Until = (handle, key, isIt = () => true, options = {}) =>
  observe(handle, key, options, (object) => (object && isIt(object) ? object : undefined));

/** Waits until an object is gone. */
export async function untilGone<T extends KubeObject>(
  handle: ResourceHandle<T>,
  key: string,
  options: UntilOptions = {},
): Promise<void> {
  await observe(handle, key, options, (object) => (object ? undefined : true));
}

/** Gives what is found in an object, now or after a change of it. */
async function observe<T extends KubeObject, Found>(
  handle: ResourceHandle<T>,
  key: string,
  { timeoutMs = 30_000 }: UntilOptions,
  find: (object: T | undefined) => Found | undefined,
): Promise<Found> {
  const { namespace, name } = splitKey(key);
  const signal = AbortSignal.timeout(timeoutMs);
  const { items, metadata } = await handle.list({
    ...(namespace && { namespace }),
    fieldSelector: `metadata.name=${name}`,
  });
  let last = items[0];
  const first = find(last);
  if (first !== undefined) return first;
  const { resourceVersion } = metadata;
  try {
    for await (const event of handle.watch({ ...(namespace && { namespace }), resourceVersion, signal })) {
      if (event.type === 'BOOKMARK' || event.object.metadata?.name !== name) continue;
      last = event.type === 'DELETED' ? undefined : event.object;
      const found = find(last);
      if (found !== undefined) return found;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  const state = last ? `its conditions were last ${JSON.stringify(conditionsOf(last) ?? [])}` : 'it is not there';
  throw new Error(`${key} is not as expected after ${timeoutMs / 1000}s: ${state}`);
}

const conditionsOf = (object: KubeObject): unknown =>
  'status' in object && typeof object.status === 'object' && object.status && 'conditions' in object.status
    ? object.status.conditions
    : undefined;
