import { joinKey } from '@flotilla/kube';
import type { Backend } from '../contracts/backend.ts';
import type { Call, Outcome } from '../contracts/call.ts';
import { shown } from '../contracts/conversions.ts';
import { conflict, invalid, modified } from '../errors/api-errors.ts';
import { goQuote } from '../errors/go-text.ts';
import { keepTimestamps } from '../patch/index.ts';
import { plainError } from '../patch/refusal.ts';
import { admissionRequest, decodeKnown, mutate, optionsObject, validate } from './admit.ts';
import { createObject } from './create.ts';
import { load } from './get.ts';
import { isHeld } from './kind-strategies.ts';
import { trackUpdate } from './managed-fields.ts';
import { withUniqueOwners } from './owner-references.ts';
import { type AnyObject, newObject, prepareForUpdate, unchanged } from './prepare.ts';
import { uidConflict } from './storage-errors.ts';
import { createdByUpdate, needsResourceVersion } from './update-policy.ts';
import { checkName, checkNamespace, type WriteOptions, writeOptions } from './write-options.ts';

export async function update(backend: Backend, call: Call): Promise<Outcome> {
  const options = writeOptions(call, 'update');
  const pruned = decodeKnown(backend, call, options);
  checkNamespace(call, pruned.metadata?.namespace);
  checkName(call, pruned);
  const sent = withUniqueOwners(call, inNamespace(call, pruned), 'sent');
  if (createdByUpdate(call.info) && call.subresource === undefined && !isStored(backend, call)) {
    return createByUpdate(backend, call, sent, options);
  }
  const defaulted = backend.schemas.applyDefaults(call.info, sent);
  const object = await updateObject(backend, call, {
    optionsKind: 'UpdateOptions',
    options,
    uid: sent.metadata?.uid,
    change: (old) => trackUpdate(backend, call, old, defaulted, options),
  });
  return { kind: 'object', status: 200, object };
}

/** Whether the object of a call exists. */
export const isStored = ({ storage }: Backend, { info, namespace, name = '' }: Call): boolean =>
  storage.get(info.storage, joinKey(info.namespaced ? namespace : undefined, name)) !== undefined;

async function createByUpdate(backend: Backend, call: Call, sent: AnyObject, options: WriteOptions): Promise<Outcome> {
  const { uid } = sent.metadata ?? {};
  if (uid) throw uidConflict(call, uid, '');
  call.requireVerb('create');
  const defaulted = backend.schemas.applyDefaults(call.info, newObject(call, sent));
  const managed = trackUpdate(backend, call, undefined, defaulted, options);
  return { kind: 'object', status: 201, object: await createObject(backend, call, managed, options) };
}

/** A body may leave out the namespace that the path names. */
export const inNamespace = (call: Call, object: AnyObject): AnyObject =>
  call.info.namespaced ? { ...object, metadata: { ...object.metadata, namespace: call.namespace } } : object;

/** A change of one stored object. */
export interface ObjectUpdate {
  readonly optionsKind: 'UpdateOptions' | 'PatchOptions';
  readonly options: WriteOptions;
  /** Refused if the object is another one. */
  readonly uid?: string | undefined;
  /** What shall be stored instead of the present object, with defaults and managedFields. */
  readonly change: (old: AnyObject) => AnyObject;
}

/** How often a change is made again for an object that others keep changing while webhooks are asked. */
const attempts = 5;

/**
 * Changes a stored object by a function of its present state. If the object changes while webhooks are asked, the function is asked
 * again with the new state; if it insists on a resource version, that is when it fails.
 */
export async function updateObject(backend: Backend, call: Call, plan: ObjectUpdate): Promise<AnyObject> {
  const { info } = call;
  const { options, optionsKind } = plan;
  const key = joinKey(info.namespaced ? call.namespace : undefined, call.name ?? '');
  const request = { dryRun: options.dryRun, optionsObject: optionsObject(optionsKind, options) };
  for (let attempt = 1; ; attempt++) {
    const stored = load(backend, call);
    const old: AnyObject = await shown(backend, info, stored);
    checkUid(call, plan.uid, old);
    const wanted = plan.change(old);
    const mutated = await mutate(backend, call, 'UPDATE', { object: wanted, oldObject: old }, request);
    checkVersion(call, mutated, old);
    checkSameUid(call, mutated, old);
    const object = prepareForUpdate(backend, call, withUniqueOwners(call, mutated, 'admitted'), old);
    checkFinalizers(call, object, old);
    await validate(backend, call, object, old);
    await backend.admission.validate(admissionRequest(call, 'UPDATE', { object, oldObject: old }, request), call.warn);

    const finished = isFinished(info.storage, object);
    const next = finished ? object : keepTimestamps(old, object);
    const same = !finished && unchanged(next, old);
    const converted = same || options.dryRun ? stored : await backend.conversions.store(info, next);
    // There is no await from here to the write.
    if (backend.storage.get(info.storage, key) === stored) {
      if (same) return old;
      if (options.dryRun) return withVersion(next, old);
      if (!finished) return shown(backend, info, backend.storage.put(info.storage, key, converted));
      backend.storage.delete(info.storage, key, converted);
      return withVersion(object, old);
    }
    if (attempt === attempts) throw conflict(info, call.name ?? '', modified);
  }
}

const withVersion = (object: AnyObject, { metadata }: AnyObject): AnyObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: metadata?.resourceVersion },
});

/** The last finalizer of an object that is being deleted was taken away. */
const isFinished = (storage: string, object: AnyObject): boolean =>
  object.metadata?.deletionTimestamp !== undefined &&
  (object.metadata.finalizers ?? []).length === 0 &&
  (object.metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
  !isHeld(storage, object);

/** An update with a uid is for that object, not for a new one of the same name. */
function checkUid(call: Call, uid: string | undefined, old: AnyObject): void {
  if (uid && uid !== old.metadata?.uid) throw uidConflict(call, uid, old.metadata?.uid ?? '');
}

/** A patch must not change the identity of an object. */
function checkSameUid({ info, name = '' }: Call, { metadata }: AnyObject, old: AnyObject): void {
  const uid = metadata?.uid;
  if (!uid || uid === old.metadata?.uid) return;
  throw invalid(info, name, [
    {
      reason: 'FieldValueInvalid',
      field: 'metadata.uid',
      message: `Invalid value: ${goQuote(uid)}: field is immutable`,
    },
  ]);
}

function checkVersion({ info, name = '' }: Call, wanted: AnyObject, old: AnyObject): void {
  const version = wanted.metadata?.resourceVersion ?? '';
  if (version === '' || version === '0') {
    if (!needsResourceVersion(info)) return;
    throw invalid({ group: info.group, kind: info.plural }, name, [
      {
        reason: 'FieldValueInvalid',
        field: 'metadata.resourceVersion',
        message: 'Invalid value: 0: must be specified for an update',
      },
    ]);
  }
  if (!/^\d+$/.test(version)) {
    throw plainError(`strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
  }
  if (version !== old.metadata?.resourceVersion) throw conflict(info, name, modified);
}

/** No finalizer can be added once the object is being deleted. */
function checkFinalizers({ info, name = '' }: Call, next: AnyObject, old: AnyObject): void {
  if (old.metadata?.deletionTimestamp === undefined) return;
  const before = new Set(old.metadata.finalizers ?? []);
  const added = (next.metadata?.finalizers ?? []).filter((finalizer) => !before.has(finalizer));
  if (added.length === 0) return;
  throw invalid(info, name, [
    {
      reason: 'FieldValueForbidden',
      field: 'metadata.finalizers',
      message: `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((one) => JSON.stringify(one)).join(', ')}}`,
    },
  ]);
}
