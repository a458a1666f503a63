import { joinKey } from '@flotilla/kube';
import { alreadyExists, badRequest } from '../errors/api-errors.ts';
import { apiVersionOf } from '../schema/resource-info.ts';
import { admissionRequest, optionsObject, prune, validate } from './admit.ts';
import type { Backend, Call, Outcome } from './backend.ts';
import { decodeObject } from './body.ts';
import { trackUpdate } from './managed-fields.ts';
import { type AnyObject, prepareForCreate } from './prepare.ts';
import { inVersion } from './selection.ts';
import { checkNamespace, type WriteOptions, writeOptions } from './write-options.ts';

export async function create(backend: Backend, call: Call): Promise<Outcome> {
  const options = writeOptions(call, 'create');
  const body = decodeObject(call);
  if (body.metadata?.resourceVersion) throw badRequest('resourceVersion should not be set on objects to be created');
  checkNamespace(call, body.metadata?.namespace);
  const object = await createObject(backend, call, body, options);
  return { kind: 'object', status: 201, object };
}

/** From a decoded object to a stored one: used by POST, and by an apply of something that is not there yet. */
export async function createObject(
  backend: Backend,
  call: Call,
  body: AnyObject,
  options: WriteOptions,
  tracked = false,
): Promise<AnyObject> {
  const { info } = call;
  const prepared = prepareForCreate(backend, call, prune(backend, call, body, options));
  const named: Call = { ...call, name: prepared.metadata?.name ?? '' };
  const defaulted = backend.schemas.applyDefaults(info, prepared);
  const managed = tracked ? defaulted : trackUpdate(backend, named, undefined, defaulted, options);
  const request = { dryRun: options.dryRun, optionsObject: optionsObject('CreateOptions', options) };
  const mutated = await backend.admission.mutate(
    admissionRequest(named, 'CREATE', { object: managed }, request),
    call.warn,
  );
  const object = mutated ?? managed;
  validate(backend, named, object);
  await backend.admission.validate(admissionRequest(named, 'CREATE', { object }, request), call.warn);

  const key = joinKey(info.namespaced ? call.namespace : undefined, named.name ?? '');
  if (backend.storage.get(info.storage, key)) throw alreadyExists(info, named.name ?? '');
  if (options.dryRun) return object;
  const stored = backend.storage.put(info.storage, key, inStorageVersion(info, object));
  return inVersion(info, stored);
}

/** Objects are stored under the storage version's name. */
export const inStorageVersion = (info: Call['info'], object: AnyObject): AnyObject => ({
  ...object,
  apiVersion: apiVersionOf({ group: storageGroup(info), version: info.storageVersion }),
});

const storageGroup = (info: Call['info']): string => info.storage.slice(0, info.storage.lastIndexOf('/'));
