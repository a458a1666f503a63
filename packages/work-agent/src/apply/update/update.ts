import { KubeError } from '@flotilla/kube';
import type { Manifest } from '../../manifest.ts';
import { type ApplyAnswer, type ApplyRequest, createIfAbsent, createObject, retryConflicts } from '../request.ts';
import { genericRule } from './generic-rule.ts';
import { mergeMetadata, metadataForCreation } from './metadata.ts';
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

  const recreate = async (live: Manifest): Promise<ApplyAnswer> => {
    const { uid } = live.metadata ?? {};
    await handle.delete(key, { signal, ...(uid && { preconditions: { uid } }) });
    return { object: await createObject(request, newObject()), wrote: true };
  };

  const update = async (live: Manifest): Promise<ApplyAnswer> => {
    const step = rule(required, live);
    if (step.kind === 'nothing') return { object: live, wrote: false };
    const before = live.metadata ?? {};
    const isKnown = request.wasApplied && mergeMetadata(before, form.metadata ?? {}) === before;
    if (isKnown && isUntouched(required, live)) return { object: live, wrote: false };
    request.beforeRepair(live);
    if (step.kind === 'recreate') return recreate(live);
    try {
      return { object: await handle.replace(step.object, { signal }), wrote: true };
    } catch (error) {
      // Immutable secrets are the one kind that OCM makes anew when the server refuses the change.
      if (required.kind === 'Secret' && KubeError.is(error, 'Invalid') && /field is immutable/.test(error.message)) {
        return recreate(live);
      }
      // What a controller added cannot be taken away (the volume of a claim), and all that is required is there.
      if (isKnown && KubeError.is(error, 'Invalid') && hasAll(required, live)) return { object: live, wrote: false };
      throw error;
    }
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
