import type { KubeObject } from '@flotilla/api-types';
import { KubeError, type ResourceHandle } from '@flotilla/kube';

/** Creates what every namespace has. That somebody was faster, or that the namespace goes just now, is fine. */
export async function createIn<T extends KubeObject>(
  handle: Pick<ResourceHandle<T>, 'create'>,
  object: T,
): Promise<void> {
  try {
    await handle.create(object);
  } catch (error) {
    const isTerminating =
      KubeError.is(error, 'Forbidden') &&
      error.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating');
    if (!isTerminating && !KubeError.is(error, 'AlreadyExists', 'NotFound')) throw error;
  }
}
