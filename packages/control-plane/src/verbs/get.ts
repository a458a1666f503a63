import { joinKey } from '@flotilla/kube';
import type { Backend } from '../contracts/backend.ts';
import type { Call, Outcome } from '../contracts/call.ts';
import { shown } from '../contracts/conversions.ts';
import { notFound } from '../errors/api-errors.ts';
import { plainError } from '../patch/refusal.ts';
import { resourceVersionError } from './list.ts';
import type { AnyObject } from './prepare.ts';

/** The stored object, or 404. */
export function load({ storage }: Backend, { info, namespace, name = '' }: Call): AnyObject {
  const object = storage.get(info.storage, joinKey(info.namespaced ? namespace : undefined, name));
  if (!object) throw notFound(info, name);
  return object;
}

export async function get(backend: Backend, call: Call): Promise<Outcome> {
  const versionError = resourceVersionError(call.query.get('resourceVersion') ?? '');
  if (versionError !== undefined) throw plainError(versionError);
  return { kind: 'object', status: 200, object: await shown(backend, call.info, load(backend, call)) };
}
