import { Annotation, FieldManager, type ManifestUpdateStrategy } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import { isRecord } from '@flotilla/schema';
import type { IgnoreField, ManifestWithIgnoredFields } from '../ignore-fields/ignore-fields.ts';
import type { Manifest } from '../manifest.ts';
import { ensureOwner } from './create-only.ts';
import { ApplyError, errorMessageOf } from './failure.ts';
import { type ApplyAnswer, type ApplyRequest, retryConflicts } from './request.ts';

type ServerSideApply = ManifestUpdateStrategy['serverSideApply'];

/** Strategy `ServerSideApply`: the server merges field by field, and refuses what another manager owns unless it is forced. */
export async function applyServerSide(request: ApplyRequest, settings: ServerSideApply): Promise<ApplyAnswer> {
  const required = withoutNullTimes(request.required);
  const ignored = settings?.ignoreFields ?? [];
  if (ignored.length === 0) return apply(request, required, settings);

  const { body, original, hash } = await fieldsToApply(request, required, ignored);
  const live = await request.handle.find(request.key, { signal: request.signal });
  if (!live) return apply(request, original, settings);
  // The hub's manifest is as it was: what others changed since then is theirs to change.
  if (live.metadata?.annotations?.[Annotation.ConfigSpecHash] === hash) return own(request, live);
  return apply(request, body, settings);
}

async function fieldsToApply(
  { ignoreFields }: ApplyRequest,
  required: Manifest,
  ignored: readonly IgnoreField[],
): Promise<ManifestWithIgnoredFields> {
  try {
    return await ignoreFields(required, ignored);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ApplyError({ reason: 'AppliedManifestSSAIgnoreFieldError', message }, { cause: error });
  }
}

async function apply(request: ApplyRequest, body: Manifest, settings: ServerSideApply): Promise<ApplyAnswer> {
  const { handle, signal } = request;
  const fieldManager = settings?.fieldManager || FieldManager.WorkAgent;
  const force = settings?.force ?? false;
  let applied: Manifest;
  try {
    applied = await handle.apply(body, { fieldManager, force, signal });
  } catch (error) {
    if (!KubeError.is(error, 'Conflict')) throw error;
    // The other owner must give way first: trying again soon would not help.
    throw new ApplyError({ message: errorMessageOf(error), waits: true }, { cause: error });
  }
  return { ...(await own(request, applied)), wrote: true };
}

/** Our owner reference is not a field of the manifest: it is applied separately, and so never conflicts. */
function own(request: ApplyRequest, live: Manifest): Promise<ApplyAnswer> {
  let current = live;
  return retryConflicts(request, async () => {
    try {
      return await ensureOwner(request, current);
    } catch (error) {
      if (KubeError.is(error, 'Conflict')) current = await request.handle.get(request.key, { signal: request.signal });
      throw error;
    }
  });
}

/** Go writes `creationTimestamp: null`, also in nested objects; applied as it is, it would count as a change each time. */
function withoutNullTimes<T>(value: T): T;
function withoutNullTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNullTimes(item));
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([field, inner]) => [field, withoutNullTimes(inner)] as const);
  return Object.fromEntries(
    entries.map(([field, inner]) => {
      if (field !== 'metadata' || !isRecord(inner) || inner.creationTimestamp !== null) return [field, inner];
      const { creationTimestamp: _, ...rest } = inner;
      return [field, rest];
    }),
  );
}
