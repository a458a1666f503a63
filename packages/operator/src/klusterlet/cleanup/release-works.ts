import { type AppliedManifestWork, appliedManifestWorks, Finalizer } from '@flotilla/api-types';
import { hasFinalizer, isAbsence, type KubeClient, KubeError, removeFinalizer } from '@flotilla/kube';

/** The records of what an agent applied; none if the cluster does not have the kind. */
export async function worksOf(client: KubeClient, agentID: string, deadlineMs: number): Promise<AppliedManifestWork[]> {
  try {
    const { items } = await client.resource(appliedManifestWorks).list({ deadlineMs });
    return items.filter(({ spec }) => spec?.agentID === agentID);
  } catch (error) {
    if (KubeError.is(error, 'NotFound', 'UnknownKind')) return [];
    throw error;
  }
}

/**
 * Removes the records of an agent that is gone and keeps what it applied. Each record owns what it lists, so it is deleted with the
 * orphan policy: without it, its objects would go with it when somebody deletes the definition later.
 */
export async function releaseWorks(client: KubeClient, works: readonly AppliedManifestWork[]): Promise<void> {
  const handle = client.resource(appliedManifestWorks);
  for (const { metadata } of works) {
    const { name = '', uid } = metadata ?? {};
    try {
      await handle.delete(name, { propagationPolicy: 'Orphan', ...(uid && { preconditions: { uid } }) });
      const current = await handle.find(name);
      if (!current || current.metadata?.uid !== uid) continue;
      if (hasFinalizer(current, Finalizer.AppliedManifestWorkCleanup)) {
        await removeFinalizer(handle, current, Finalizer.AppliedManifestWorkCleanup);
      }
    } catch (error) {
      if (!isAbsence(error)) throw error;
    }
  }
}
