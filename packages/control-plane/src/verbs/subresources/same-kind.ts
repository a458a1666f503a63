import type { VerbHandler } from '../../contracts/handlers.ts';
import { get } from '../get.ts';
import { patch } from '../patch.ts';
import { update } from '../update.ts';
import { updateRule } from './update-rules.ts';

const verbs: Readonly<Record<string, VerbHandler>> = {
  get: (backend, _verb, call) => get(backend, call),
  update: (backend, _verb, call) => update(backend, call),
  patch: (backend, _verb, call) => patch(backend, call),
};

/** Subresources whose body is the object itself: `finalize` of namespaces, `approval` of certificate signing requests. */
export const sameKindVerbs: VerbHandler = (backend, verb, call) => {
  const { info, subresource } = call;
  if (subresource === undefined || !updateRule(info.storage, subresource)) return undefined;
  const served = info.subresources.find(({ name }) => name === subresource);
  return served?.verbs.includes(verb) ? verbs[verb]?.(backend, verb, call) : undefined;
};
