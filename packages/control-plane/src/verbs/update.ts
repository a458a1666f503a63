import { isDeepStrictEqual } from 'node:util';
import { joinKey } from '@flotilla/kube';
import { badRequest, conflict, type FieldCause, invalid, modified } from '../errors/api-errors.ts';
import { admissionRequest, optionsObject, prune, validate } from './admit.ts';
import type { Backend, Call, Outcome } from './backend.ts';
import { decodeObject } from './body.ts';
import { inStorageVersion } from './create.ts';
import { load } from './get.ts';
import { isHeld } from './kind-strategies.ts';
import { trackUpdate } from './managed-fields.ts';
import { type AnyObject, prepareForUpdate, unchanged } from './prepare.ts';
import { inVersion } from './selection.ts';
import { checkNamespace, type WriteOptions, writeOptions } from './write-options.ts';

export async function update(backend: Backend, call: Call): Promise<Outcome> {
  const options = writeOptions(call, 'update');
  const body = decodeObject(call);
  const name = body.metadata?.name ?? '';
  if (name !== (call.name ?? '')) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${call.name})`);
  }
  checkNamespace(call, body.metadata?.namespace);
  const pruned = prune(backend, call, body, options);
  const object = await updateObject(backend, call, 'UpdateOptions', options, () => pruned);
  return { kind: 'object', status: 200, object };
}

/** How many times a change that names no resource version is tried again on a newer object. */
const attempts = 5;

/**
 * Changes a stored object by a function of its present state. If the object changes while webhooks are asked, the function is asked
 * again with the new state, unless it insists on a resource version.
 */
export async function updateObject(
  backend: Backend,
  call: Call,
  optionsKind: 'UpdateOptions' | 'PatchOptions',
  options: WriteOptions,
  change: (old: AnyObject) => AnyObject,
  tracked = false,
): Promise<AnyObject> {
  const { info } = call;
  const key = joinKey(info.namespaced ? call.namespace : undefined, call.name ?? '');
  for (let attempt = 1; ; attempt++) {
    const stored = load(backend, call);
    const old: AnyObject = inVersion(info, stored);
    const wanted = change(old);
    checkPreconditions(call, wanted, old);
    const prepared = backend.schemas.applyDefaults(info, prepareForUpdate(backend, call, wanted, old));
    const managed = tracked ? prepared : trackUpdate(backend, call, old, prepared, options);
    const request = { dryRun: options.dryRun, optionsObject: optionsObject(optionsKind, options) };
    const objects = { object: managed, oldObject: old };
    const mutated = await backend.admission.mutate(admissionRequest(call, 'UPDATE', objects, request), call.warn);
    const object = mutated ?? managed;
    checkFinalizers(call, object, old);
    validate(backend, call, object, old);
    await backend.admission.validate(admissionRequest(call, 'UPDATE', { object, oldObject: old }, request), call.warn);

    if (backend.storage.get(info.storage, key) !== stored) {
      if (wanted.metadata?.resourceVersion || attempt === attempts) throw conflict(info, call.name ?? '', modified);
      continue;
    }
    return commit(backend, call, key, object, old, options);
  }
}

function commit(
  { storage }: Backend,
  { info }: Call,
  key: string,
  object: AnyObject,
  old: AnyObject,
  options: WriteOptions,
): AnyObject {
  if (isFinished(info.storage, object)) {
    if (options.dryRun) return object;
    return inVersion(info, storage.delete(info.storage, key, inStorageVersion(info, object)));
  }
  if (unchanged(object, old) && sameManagers(object, old)) return old;
  if (options.dryRun)
    return { ...object, metadata: { ...object.metadata, resourceVersion: old.metadata?.resourceVersion } };
  return inVersion(info, storage.put(info.storage, key, inStorageVersion(info, object)));
}

/** The last finalizer of an object that is being deleted was taken away. */
const isFinished = (storage: string, object: AnyObject): boolean =>
  object.metadata?.deletionTimestamp !== undefined &&
  (object.metadata.finalizers ?? []).length === 0 &&
  (object.metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
  !isHeld(storage, object);

/** A change of nothing but times in managedFields is no change. */
const sameManagers = (left: AnyObject, right: AnyObject): boolean => {
  const timeless = ({ metadata }: AnyObject) => (metadata?.managedFields ?? []).map(({ time: _, ...entry }) => entry);
  return isDeepStrictEqual(timeless(left), timeless(right));
};

function checkPreconditions({ info, name = '' }: Call, wanted: AnyObject, old: AnyObject): void {
  const { resourceVersion, uid } = wanted.metadata ?? {};
  if (uid && uid !== old.metadata?.uid) {
    throw conflict(
      info,
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata?.uid}`,
    );
  }
  if (resourceVersion && resourceVersion !== '0' && resourceVersion !== old.metadata?.resourceVersion) {
    throw conflict(info, name, modified);
  }
  if (!resourceVersion && info.source === 'custom') {
    throw invalid(info, name, [
      {
        reason: 'FieldValueInvalid',
        field: 'metadata.resourceVersion',
        message: 'Invalid value: 0: must be specified for an update',
      },
    ]);
  }
}

/** Once deletion began, nobody may hold it up with a new finalizer. */
function checkFinalizers({ info, name = '' }: Call, next: AnyObject, old: AnyObject): void {
  if (old.metadata?.deletionTimestamp === undefined) return;
  const before = new Set(old.metadata.finalizers ?? []);
  const added = (next.metadata?.finalizers ?? []).filter((finalizer) => !before.has(finalizer));
  if (added.length === 0) return;
  const causes: FieldCause[] = [
    {
      reason: 'FieldValueForbidden',
      field: 'metadata.finalizers',
      message: `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((one) => JSON.stringify(one)).join(', ')}}`,
    },
  ];
  throw invalid(info, name, causes);
}
