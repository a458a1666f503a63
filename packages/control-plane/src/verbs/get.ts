import { joinKey } from '@flotilla/kube';
import { shown } from '../conversion/conversions.ts';
import { notFound } from '../errors/api-errors.ts';
import { plainError } from '../patch/refusal.ts';
import type { Backend, Call, Outcome } from './backend.ts';
import { revisionProblem } from './list.ts';
import type { AnyObject } from './prepare.ts';

/** The stored object, or 404. */
export function load({ storage }: Backend, { info, namespace, name = '' }: Call): AnyObject {
  const object = storage.get(info.storage, joinKey(info.namespaced ? namespace : undefined, name));
  if (!object) throw notFound(info, name);
  return object;
}

export async function get(backend: Backend, call: Call): Promise<Outcome> {
  const problem = revisionProblem(call.query.get('resourceVersion') ?? '');
  if (problem !== undefined) throw plainError(problem);
  return { kind: 'object', status: 200, object: await shown(backend, call.info, load(backend, call)) };
}
