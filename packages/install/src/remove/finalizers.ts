import { isAbsence, type ResourceHandle } from '@flotilla/kube';
import { foreignFinalizers } from '@flotilla/registration-core/contract';
import type { KubeObject } from '@flotilla/schema';

/** Releases the finalizers of Open Cluster Management on an object that is being deleted: the agent or hub that set them is gone. Others stay. */
export async function releaseFinalizers(handle: ResourceHandle<KubeObject>, key: string): Promise<void> {
  const object = await handle.find(key);
  if (!object?.metadata?.finalizers?.length) return;
  const metadata = { uid: object.metadata.uid, finalizers: foreignFinalizers(object) };
  await handle.patch(key, { type: 'merge', body: { metadata } }).catch((error: unknown) => {
    if (!isAbsence(error)) throw error;
  });
}

/** Why an object that was deleted is still there. */
export function pendingReason({ metadata }: KubeObject): string {
  const finalizers = metadata?.finalizers ?? [];
  return finalizers.length === 0 ? 'it is still there' : `it is held by ${finalizers.join(', ')}`;
}
