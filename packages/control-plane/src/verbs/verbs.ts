import type { Backend } from '../contracts/backend.ts';
import type { Call, Outcome } from '../contracts/call.ts';
import { hasSubresource } from '../contracts/resource-info.ts';
import { create } from './create.ts';
import { remove, removeCollection } from './delete.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { patch } from './patch.ts';
import { update } from './update.ts';
import { watch } from './watch.ts';

type Verb = (backend: Backend, call: Call) => Promise<Outcome> | Outcome;

const byName: Readonly<Record<string, Verb>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: removeCollection,
};

/** A collection can be read from everywhere, but written to only in a namespace, and an object only by its name. */
function isRouted(verb: string, { info, namespace, name }: Call): boolean {
  if (verb === 'list') return name === undefined;
  if (verb === 'watch') return true;
  if (verb !== 'create' && verb !== 'deletecollection') return name !== undefined;
  // The handler of custom resources ignores a name in a create.
  return (name === undefined || info.source === 'custom') && (!info.namespaced || namespace !== undefined);
}

const statusVerbs = new Set(['get', 'update', 'patch']);

/** The generic verbs of stored resources and of their status. */
export function storedVerbs(backend: Backend, verb: string, call: Call): Promise<Outcome> | Outcome | undefined {
  if (call.subresource !== undefined) {
    if (call.subresource !== 'status' || !hasSubresource(call.info, 'status') || !statusVerbs.has(verb))
      return undefined;
  } else if (!call.info.verbs.includes(verb) || !isRouted(verb, call)) return undefined;
  return byName[verb]?.(backend, call);
}
