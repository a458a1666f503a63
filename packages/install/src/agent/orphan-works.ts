import { type AppliedManifestWork, appliedManifestWorks, Finalizer } from '@flotilla/api-types';
import { isAbsence, isDeleting, type KubeClient, KubeError, removeFinalizer } from '@flotilla/kube';
import { type Removal, waitOf } from '../remove/removal.ts';
import { type Observation, waitFor } from '../wait.ts';
import type { IsOwnWork } from './own-works.ts';

/** The records of what works of a membership applied on this cluster; none if it has no such kind. */
export async function listAppliedWorks(client: KubeClient, isOwn: IsOwnWork): Promise<AppliedManifestWork[]> {
  try {
    return (await client.resource(appliedManifestWorks).list()).items.filter(isOwn);
  } catch (error) {
    if (KubeError.is(error, 'NotFound', 'UnknownKind')) return [];
    throw error;
  }
}

/**
 * Removes the records of applied works and keeps the objects: each is an owner of what it lists, so the garbage collector must
 * release the objects before the record is deleted. The agent must have been stopped.
 */
export async function orphanWorks(removal: Removal, isOwn: IsOwnWork): Promise<void> {
  const { client, dryRun, timeoutMs, reporter } = removal;
  const names = new Set<string>();
  const objects = new Set<string>();
  // At once and not at the end: after an interruption the records are gone.
  const report = (work: AppliedManifestWork) => {
    names.add(`AppliedManifestWork ${work.metadata?.name}`);
    for (const object of objectsOf(work)) if (!objects.has(object)) reporter.left(object);
    for (const object of objectsOf(work)) objects.add(object);
  };
  const wait = {
    ...waitOf(removal),
    goal: 'the garbage collector to release what works applied',
    hint: 'Is kube-controller-manager of this cluster running? Other finalizers are for their owners to remove.',
    timeoutMs,
  };
  if (dryRun) for (const work of await listAppliedWorks(client, isOwn)) report(work);
  else {
    await waitFor(wait, async (): Promise<Observation<true>> => {
      // Listed again each time: an agent that was about to end may have written one once more.
      const works = await listAppliedWorks(client, isOwn);
      for (const work of works) {
        report(work);
        await orphan(client, work);
      }
      return works.length === 0 ? { found: true } : { pending: works.map(pendingReason).join('; ') };
    });
  }
  for (const name of names) reporter.removed(name);
}

async function orphan(client: KubeClient, work: AppliedManifestWork): Promise<void> {
  const handle = client.resource(appliedManifestWorks);
  const { name = '', uid } = work.metadata ?? {};
  const finalizer = Finalizer.AppliedManifestWorkCleanup;
  try {
    if (isDeleting(work)) {
      // Without our finalizer alone it would go at once, and its objects with it.
      if (!work.metadata?.finalizers?.includes('orphan'))
        await handle.delete(name, { propagationPolicy: 'Orphan', preconditions: { uid } });
      const current = await handle.find(name);
      if (current) await removeFinalizer(handle, current, finalizer);
      return;
    }
    const free = await removeFinalizer(handle, work, finalizer);
    if (!free) return;
    // With this very version: an agent that still runs could have put its finalizer on again, and would delete the objects.
    const { resourceVersion } = free.metadata ?? {};
    await handle.delete(name, { propagationPolicy: 'Orphan', preconditions: { uid, resourceVersion } });
  } catch (error) {
    // It is gone, or it was changed meanwhile and the next attempt tries again.
    if (!isAbsence(error) && !KubeError.is(error, 'Conflict')) throw error;
  }
}

const pendingReason = ({ metadata }: AppliedManifestWork): string =>
  `AppliedManifestWork ${metadata?.name} waits for ${metadata?.finalizers?.join(', ') || 'its deletion'}`;

/** What a record lists, in words that kubectl takes: `deployments.apps shop/web`. */
const objectsOf = ({ status }: AppliedManifestWork): string[] =>
  (status?.appliedResources ?? []).map(({ group, resource, namespace, name }) => {
    const type = group ? `${resource}.${group}` : resource;
    return `${type} ${namespace ? `${namespace}/` : ''}${name}`;
  });
