import { KubeError, type ResourceHandle } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';

/** Creates what every namespace has. It is not an error if the object exists already or the namespace is being deleted. */
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
