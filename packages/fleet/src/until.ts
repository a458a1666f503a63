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

const conditionsOf = (object: KubeObject | undefined): unknown =>
  object && 'status' in object && typeof object.status === 'object' && object.status && 'conditions' in object.status
    ? object.status.conditions
    : undefined;

export const until: Until = async (handle, key, isIt = () => true, { timeoutMs = 30_000 } = {}) => {
  const { namespace, name } = splitKey(key);
  const signal = AbortSignal.timeout(timeoutMs);
  let last = await handle.find(key);
  if (last && isIt(last)) return last;
  const place = namespace === undefined ? {} : { namespace };
  try {
    for await (const event of handle.watch({ ...place, resourceVersion: '0', signal })) {
      if (event.type === 'BOOKMARK' || event.object.metadata?.name !== name) continue;
      last = event.type === 'DELETED' ? undefined : event.object;
      if (last && isIt(last)) return last;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  const seconds = timeoutMs / 1000;
  const state = last ? `its conditions were last ${JSON.stringify(conditionsOf(last) ?? [])}` : 'it is not there';
  throw new Error(`${key} is not as expected after ${seconds}s: ${state}`);
};
