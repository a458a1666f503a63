import type { ManagedClusterAddOn } from '@flotilla/api-types';
import { type CachedResource, isAbsence, KubeError, keyOf, type Logger } from '@flotilla/kube';

/**
 * Writes a part of the status of an add-on, on the version that it was decided on. Another writer who was faster wakes the controller
 * again, so that its own write is left to that reconcile.
 */
export async function writeStatus(
  addons: Pick<CachedResource<ManagedClusterAddOn>, 'status'>,
  addon: ManagedClusterAddOn,
  status: object,
  log: Logger,
): Promise<void> {
  const { uid, resourceVersion } = addon.metadata ?? {};
  await unlessOutdated(
    () => addons.status.patch(keyOf(addon), { type: 'merge', body: { metadata: { uid, resourceVersion }, status } }),
    log,
  );
}

/** Writes the finalizers of an add-on, likewise. */
export async function writeFinalizers(
  addons: Pick<CachedResource<ManagedClusterAddOn>, 'patch'>,
  addon: ManagedClusterAddOn,
  finalizers: readonly string[],
  log: Logger,
): Promise<void> {
  const { uid, resourceVersion } = addon.metadata ?? {};
  await unlessOutdated(
    () => addons.patch(keyOf(addon), { type: 'merge', body: { metadata: { uid, resourceVersion, finalizers } } }),
    log,
  );
}

async function unlessOutdated(write: () => Promise<unknown>, log: Logger): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (KubeError.is(error, 'Conflict')) log.debug('the add-on has changed meanwhile');
    else if (!isAbsence(error)) throw error;
  }
}
