import { type KubeClient, KubeError, keyOf } from '@flotilla/kube';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import type { StatusVersions } from './status-versions.ts';

/**
 * Stores the status that an agent reports. An agent that read the object before something else of it was changed, such as a label, need
 * not read it again and report once more; one that read another status has to, or it would undo what the hub wrote.
 */
export async function replaceStatus<T extends KubeObject>(
  client: KubeClient,
  type: ResourceType<T>,
  reported: T,
  versions: StatusVersions,
): Promise<void> {
  const handle = client.resource(type);
  try {
    await handle.status.replace(reported);
  } catch (error) {
    if (!KubeError.is(error, 'Conflict')) throw error;
    const current = await handle.find(keyOf(reported));
    const { uid, resourceVersion } = reported.metadata ?? {};
    const newest = current?.metadata?.resourceVersion;
    if (uid !== current?.metadata?.uid || !versions.isSameStatus(uid, resourceVersion, newest)) throw error;
    await handle.status.replace({ ...reported, metadata: { ...reported.metadata, resourceVersion: newest } });
  }
}
