import { keyOf } from '@flotilla/kube';
import { formatTime, parseTime } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import type { Backend } from '../contracts/backend.ts';
import type { Call, Outcome } from '../contracts/call.ts';
import { shown } from '../contracts/conversions.ts';
import { conflict } from '../errors/api-errors.ts';
import { definitionStorage, markTerminating } from '../schema/definitions/definition.ts';
import { admissionRequest } from './admit.ts';
import { type DeleteOptions, deleteOptions } from './delete-options.ts';
import { load } from './get.ts';
import { isHeld } from './kind-strategies.ts';
import type { AnyObject } from './prepare.ts';
import { selectionOf } from './selection.ts';

const orphanFinalizer = 'orphan';
const foregroundFinalizer = 'foregroundDeletion';

export async function remove(backend: Backend, call: Call): Promise<Outcome> {
  const options = deleteOptions(call);
  const { object, gone } = await deleteObject(backend, call, options);
  return { kind: 'object', status: 200, object: gone ? success(call, object) : object };
}

export async function removeCollection(backend: Backend, call: Call): Promise<Outcome> {
  const options = deleteOptions(call);
  const { info } = call;
  const selection = selectionOf(info, call.query);
  const items: KubeObject[] = [];
  for (const object of backend.storage.list(info.storage, info.namespaced ? call.namespace : undefined)) {
    if (!selection.matches(object)) continue;
    const { name, namespace } = object.metadata ?? {};
    const one: Call = { ...call, name: name ?? '', ...(namespace !== undefined && { namespace }) };
    // It may have been deleted while a webhook was called.
    if (!backend.storage.get(info.storage, keyOf(object))) continue;
    await deleteObject(backend, one, options);
    items.push(object);
  }
  const list = await backend.conversions.show(info, items);
  return { kind: 'list', list: { items: list, metadata: { resourceVersion: String(backend.storage.revision) } } };
}

/** Deletes one object, or marks it for those who hold it. */
export async function deleteObject(
  backend: Backend,
  call: Call,
  options: DeleteOptions,
): Promise<{ object: AnyObject; gone: boolean }> {
  const { info } = call;
  const before = load(backend, call);
  checkPreconditions(call, options, before);
  const request = { dryRun: options.dryRun, optionsObject: options.object };
  const asked = admissionRequest(call, 'DELETE', { oldObject: await shown(backend, info, before) }, request);
  await backend.admission.mutate(asked, call.warn);
  await backend.admission.validate(asked, call.warn);

  // Read again, since webhooks take time.
  const old = load(backend, call);
  checkPreconditions(call, options, old);
  const marked = markForDeletion(backend, call, old, options);
  const key = keyOf(old);
  if (!marked) {
    const { finalizers: _, ...metadata } = old.metadata ?? {};
    if (metadata.deletionGracePeriodSeconds !== undefined) metadata.deletionGracePeriodSeconds = 0;
    const last: AnyObject = { ...old, metadata };
    const object = options.dryRun ? old : backend.storage.delete(info.storage, key, last);
    return { object: await shown(backend, info, object), gone: true };
  }
  if (options.dryRun || marked === old) return { object: await shown(backend, info, marked), gone: false };
  return { object: await shown(backend, info, backend.storage.put(info.storage, key, marked)), gone: false };
}

function checkPreconditions(
  { info, name = '' }: Call,
  { preconditions: { uid, resourceVersion } = {} }: DeleteOptions,
  { metadata }: AnyObject,
): void {
  // Here messages name the kind where others name the resource.
  const subject = { group: info.group, plural: info.kind };
  if (uid !== undefined && uid !== metadata?.uid) {
    throw conflict(
      subject,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata?.uid}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata?.resourceVersion) {
    throw conflict(
      subject,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata?.resourceVersion}). The object might have been modified`,
    );
  }
}

/**
 * With the finalizers that the propagation policy asks for, and the time from which it counts as being deleted.
 * Undefined if nothing blocks the deletion: the object is removed at once.
 */
function markForDeletion(
  backend: Backend,
  call: Call,
  stored: AnyObject,
  options: DeleteOptions,
): AnyObject | undefined {
  const { storage } = call.info;
  const begins = stored.metadata?.deletionTimestamp === undefined;
  const isDefinition = begins && storage === definitionStorage;
  const old = isDefinition ? markTerminating(stored, formatTime(backend.clock.now())) : stored;
  const finalizers = finalizersFor(storage, old, options);
  const grace = graceOf(storage, old, options);
  if (finalizers.length === 0 && grace === 0 && !isHeld(storage, old)) return undefined;
  const { deletionTimestamp, deletionGracePeriodSeconds, generation } = old.metadata ?? {};
  const sameFinalizers = finalizers.join() === (old.metadata?.finalizers ?? []).join();
  if (deletionTimestamp !== undefined && sameFinalizers && (deletionGracePeriodSeconds ?? 0) <= grace) return old;
  const marked: AnyObject = {
    ...old,
    metadata: {
      ...old.metadata,
      deletionTimestamp: deadline(backend, old, grace),
      ...(!withoutGracePeriod.has(storage) && { deletionGracePeriodSeconds: grace }),
      ...(deletionTimestamp === undefined &&
        generation !== undefined &&
        !withoutGracePeriod.has(storage) && { generation: generation + 1 }),
    },
  };
  if (finalizers.length > 0) marked.metadata = { ...marked.metadata, finalizers };
  else delete marked.metadata?.finalizers;
  if (storage !== '/namespaces') return marked;
  return { ...marked, status: { ...(old.status as object | undefined), phase: 'Terminating' } };
}

/** Kinds without a grace period: controllers delete what they hold first. */
const withoutGracePeriod = new Set(['/namespaces', 'apiextensions.k8s.io/customresourcedefinitions']);

/** A second deletion with less grace brings the end nearer, but not into the past. */
function deadline({ clock }: Backend, { metadata }: AnyObject, grace: number): string {
  const now = clock.now();
  const planned = parseTime(metadata?.deletionTimestamp);
  if (planned === undefined) return formatTime(now + grace * 1000);
  const earlier = planned - ((metadata?.deletionGracePeriodSeconds ?? 0) - grace) * 1000;
  return formatTime(Math.max(now, earlier));
}

/** These keep their pods unless the request says otherwise: clients rely on it since before there was a garbage collector. */
const orphaning = new Set(['/replicationcontrollers', 'batch/jobs']);

function finalizersFor(storage: string, old: AnyObject, { propagation }: DeleteOptions): string[] {
  const given = old.metadata?.finalizers ?? [];
  const others = given.filter((finalizer) => finalizer !== orphanFinalizer && finalizer !== foregroundFinalizer);
  const policy = propagation ?? (orphaning.has(storage) && others.length === given.length ? 'Orphan' : undefined);
  if (policy === 'Orphan') return [...others, orphanFinalizer];
  if (policy === 'Foreground') return [...others, foregroundFinalizer];
  return policy === 'Background' ? others : [...given];
}

/** Only pods that run somewhere are given time; a pod without a node is deleted at once. */
function graceOf(storage: string, old: AnyObject, { gracePeriodSeconds }: DeleteOptions): number {
  if (storage !== '/pods') return 0;
  const spec = old.spec as { nodeName?: string; terminationGracePeriodSeconds?: number } | undefined;
  const status = old.status as { phase?: string } | undefined;
  if (!spec?.nodeName || status?.phase === 'Failed' || status?.phase === 'Succeeded') return 0;
  return Math.max(0, gracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30);
}

/** Pods and their like answer with the object even when it is gone; the rest with a short success. */
function success({ info, name = '' }: Call, object: AnyObject): KubeObject {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name,
      ...(info.group !== '' && { group: info.group }),
      kind: info.plural,
      ...(object.metadata?.uid !== undefined && { uid: object.metadata.uid }),
    },
  };
  return answersWithObject.has(info.storage) ? object : status;
}

const answersWithObject = new Set([
  '/pods',
  '/services',
  '/serviceaccounts',
  '/persistentvolumeclaims',
  '/persistentvolumes',
  '/podtemplates',
  '/resourcequotas',
  'storage.k8s.io/csidrivers',
  'storage.k8s.io/csinodes',
  'storage.k8s.io/storageclasses',
  'storage.k8s.io/volumeattachments',
  'storage.k8s.io/volumeattributesclasses',
]);
