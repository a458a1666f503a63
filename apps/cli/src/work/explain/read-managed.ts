import { type AppliedManifestWork, appliedManifestWorks, type ManifestWork } from '@flotilla/api-types';
import { joinKey, type KubeClient, KubeError } from '@flotilla/kube';
import type { Manifest } from '../manifests.ts';
import type { ManagedFacts, ObjectFacts } from './facts.ts';

/** Reads what a managed cluster has of a work. */
export async function readManaged(client: KubeClient, work: ManifestWork): Promise<ManagedFacts> {
  const applied = await appliedWorksOf(client, work.metadata?.name);
  const manifests: readonly Manifest[] = work.spec?.workload?.manifests ?? [];
  const objects: ObjectFacts[] = [];
  for (const manifest of manifests) objects.push(await readObject(client, manifest));
  return { appliedWorks: applied, objects };
}

/** None where the kind is not known either: no agent for works was ever there. */
async function appliedWorksOf(client: KubeClient, name: string | undefined): Promise<AppliedManifestWork[]> {
  try {
    const { items } = await client.resource(appliedManifestWorks).list();
    return items.filter(({ spec }) => spec?.manifestWorkName === name);
  } catch (error) {
    if (KubeError.is(error, 'NotFound', 'UnknownKind')) return [];
    throw error;
  }
}

async function readObject(client: KubeClient, { apiVersion, kind, metadata }: Manifest): Promise<ObjectFacts> {
  try {
    const handle = await client.dynamic({ apiVersion, kind });
    const namespace = handle.type.namespaced ? metadata?.namespace : undefined;
    const object = await handle.find(joinKey(namespace, metadata?.name ?? ''));
    return object ? { kind: 'there', object } : { kind: 'absent' };
  } catch (error) {
    return { kind: 'unreadable', why: KubeError.from(error).message };
  }
}
