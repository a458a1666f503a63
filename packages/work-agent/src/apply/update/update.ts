import { KubeError } from '@flotilla/kube';
import type { Manifest } from '../../manifest.ts';
import { type ApplyAnswer, type ApplyRequest, createIfAbsent, createObject, retryConflicts } from '../request.ts';
import { genericRule, sameBody } from './generic-rule.ts';
import { mergeMetadata, metadataForCreation } from './metadata.ts';
import { withRefusedFields } from './refused-fields.ts';
import { hasAll, isUntouched } from './trust.ts';
import { creationFormOf, typedRuleOf } from './typed-rules.ts';

/** Strategy `Update`: the object is as the manifest says, with what others added to its metadata. */
export async function applyUpdate(request: ApplyRequest): Promise<ApplyAnswer> {
  const { handle, key, signal, owner } = request;
  const required: Manifest = {
    ...request.required,
    metadata: { ...request.required.metadata, ownerReferences: [owner] },
  };
  const rule = typedRuleOf(required) ?? genericRule;
  const form = creationFormOf(required);
  const newObject = (): Manifest => ({ ...form, metadata: metadataForCreation(form.metadata ?? {}) });

  const recreate = (live: Manifest): Promise<ApplyAnswer> => deleteAndCreate(request, live, newObject());

  const update = async (live: Manifest): Promise<ApplyAnswer> => {
    const step = rule(required, live);
    if (step.kind === 'nothing') return { object: live, wrote: false };
    if (request.wasApplied && isUntouched(required, live)) return updateMetadata(live);
    request.beforeRepair(live);
    if (step.kind === 'recreate') return recreate(live);
    try {
      return { object: await handle.replace(step.object, { signal }), wrote: true };
    } catch (error) {
      if (!KubeError.is(error, 'Invalid')) throw error;
      // Secrets are the one kind that OCM recreates when the server refuses to change an immutable one.
      if (required.kind === 'Secret' && /field is immutable/.test(error.message)) return recreate(live);
      if (!hasAll(required, live)) throw error;
      // What a controller added cannot be removed (the volume of a claim), and all required fields are there.
      return request.wasApplied ? updateMetadata(live) : keepRefused(step.object, live, error);
    }
  };

  /** What the server filled in, and refuses to change, stays; what the manifest dropped otherwise goes. */
  const keepRefused = async (wanted: Manifest, live: Manifest, refusal: KubeError): Promise<ApplyAnswer> => {
    const object = withRefusedFields(wanted, live, refusal);
    if (sameBody(object, live)) return updateMetadata(live);
    return { object: await handle.replace(object, { signal }), wrote: true };
  };

  /** For a body that is as required: a write of the whole manifest would drop what the server filled in, which it may refuse. */
  const updateMetadata = async (live: Manifest): Promise<ApplyAnswer> => {
    const before = live.metadata ?? {};
    const metadata = mergeMetadata(before, form.metadata ?? {});
    if (metadata === before) return { object: live, wrote: false };
    request.beforeRepair(live);
    return { object: await handle.replace({ ...live, metadata }, { signal }), wrote: true };
  };

  if (request.isNew) {
    const created = await createIfAbsent(request, newObject());
    if (created) return { object: created, wrote: true };
  }
  return retryConflicts(request, async () => {
    const live = await handle.find(key, { signal });
    if (live) return update(live);
    return { object: await createObject(request, newObject()), wrote: true };
  });
}

/** Replaces an object whose fields the server refuses to change. */
async function deleteAndCreate(request: ApplyRequest, live: Manifest, object: Manifest): Promise<ApplyAnswer> {
  const { handle, key, signal } = request;
  const { uid } = live.metadata ?? {};
  await request.beforeDelete();
  await handle.delete(key, { signal, ...(uid && { preconditions: { uid } }) });
  return { object: await createObject(request, object), wrote: true };
}
