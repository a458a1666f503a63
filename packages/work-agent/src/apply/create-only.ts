import type { Manifest } from '../manifest.ts';
import { ownersPatch } from './ownership.ts';
import { type ApplyAnswer, type ApplyRequest, createIfAbsent, createObject, retryConflicts } from './request.ts';
import { metadataForCreation } from './update/metadata.ts';

/** Adds or removes our reference to the owner, if that is not done. */
export async function ensureOwner(
  { handle, key, owner, signal }: Pick<ApplyRequest, 'handle' | 'key' | 'owner' | 'signal'>,
  live: Manifest,
): Promise<ApplyAnswer> {
  const body = ownersPatch(live.metadata ?? {}, [owner]);
  if (!body) return { object: live, wrote: false };
  return { object: await handle.patch(key, { type: 'merge', body }, { signal }), wrote: true };
}

/** Strategy `CreateOnly`: an object that exists is left as it is, but for its owner. */
export async function applyCreateOnly(request: ApplyRequest): Promise<ApplyAnswer> {
  const { handle, key, signal, owner, required } = request;
  const metadata = metadataForCreation({ ...required.metadata, ownerReferences: [owner] });
  const create = () => createIfAbsent(request, { ...required, metadata });
  if (request.isNew) {
    const created = await create();
    if (created) return { object: created, wrote: true };
  }
  return retryConflicts(request, async () => {
    const live = await handle.find(key, { signal });
    if (live) return ensureOwner(request, live);
    return { object: await createObject(request, { ...required, metadata }), wrote: true };
  });
}
