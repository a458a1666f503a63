import { joinKey } from '@flotilla/kube';
import type { Backend } from '../contracts/backend.ts';
import type { Call, Outcome } from '../contracts/call.ts';
import { shown } from '../contracts/conversions.ts';
import { alreadyExists, methodNotAllowed, notFound } from '../errors/api-errors.ts';
import { plainError } from '../patch/refusal.ts';
import { admissionRequest, decodeKnown, mutate, optionsObject, validate } from './admit.ts';
import { trackUpdate } from './managed-fields.ts';
import { withUniqueOwners } from './owner-references.ts';
import { type AnyObject, newObject, prepareForCreate } from './prepare.ts';
import { checkNamespace, type WriteOptions, writeOptions } from './write-options.ts';

export async function create(backend: Backend, call: Call): Promise<Outcome> {
  const options = writeOptions(call, 'create');
  const pruned = decodeKnown(backend, call, options);
  checkNamespace(call, pruned.metadata?.namespace);
  const sent = withUniqueOwners(call, newObject(call, pruned), 'sent');
  const defaulted = backend.schemas.applyDefaults(call.info, sent);
  const managed = trackUpdate(backend, call, undefined, defaulted, options);
  return { kind: 'object', status: 201, object: await createObject(backend, call, managed, options) };
}

/**
 * From an object with defaults and managedFields to a stored one: used by POST, and by an apply or update of something that is not there
 * yet. Fields that admission and the server add have no owner.
 */
export async function createObject(
  backend: Backend,
  call: Call,
  managed: AnyObject,
  options: WriteOptions,
): Promise<AnyObject> {
  const { info } = call;
  const request = { dryRun: options.dryRun, optionsObject: optionsObject('CreateOptions', options) };
  const mutated = await mutate(backend, call, 'CREATE', { object: managed }, request);
  const prepared = prepareForCreate(backend, call, withUniqueOwners(call, mutated, 'admitted'));
  // What is read from storage has its defaults: also for what was only just added.
  const object: AnyObject = backend.schemas.applyDefaults(info, prepared);
  const named: Call = { ...call, name: object.metadata?.name ?? '' };
  await validate(backend, named, object);
  const admitted = admissionRequest(named, 'CREATE', { object }, request);
  await backend.admission.validate(admitted, call.warn);

  const key = joinKey(info.namespaced ? call.namespace : undefined, named.name ?? '');
  if (object.metadata?.resourceVersion) throw plainError('resourceVersion should not be set on objects to be created');
  const converted = await backend.conversions.store(info, object);
  // There is no await from here to the write.
  backend.admission.recheck(admitted);
  checkServed(backend, named);
  if (backend.storage.get(info.storage, key)) throw alreadyExists(info, named.name ?? '');
  if (options.dryRun) return object;
  return shown(backend, info, backend.storage.put(info.storage, key, converted));
}

/** Nobody would delete an object whose definition was deleted while webhooks were asked; the next definition of the name would have it. */
function checkServed({ registry }: Backend, { info, name = '' }: Call): void {
  if (info.source !== 'custom') return;
  const served = registry.lookup(info.group, info.version, info.plural);
  if (served?.namespaced !== info.namespaced) throw notFound(info, name);
  if (!served.verbs.includes('create')) throw methodNotAllowed(info, 'create');
}
