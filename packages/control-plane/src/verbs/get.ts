import { joinKey } from '@flotilla/kube';
import { notFound } from '../errors/api-errors.ts';
import type { Backend, Call, Outcome } from './backend.ts';
import type { AnyObject } from './prepare.ts';
import { inVersion } from './selection.ts';

/** The stored object, or 404. */
export function load({ storage }: Backend, { info, namespace, name = '' }: Call): AnyObject {
  const object = storage.get(info.storage, joinKey(info.namespaced ? namespace : undefined, name));
  if (!object) throw notFound(info, name);
  return object;
}

export const get = (backend: Backend, call: Call): Outcome => ({
  kind: 'object',
  status: 200,
  object: inVersion(call.info, load(backend, call)),
});
