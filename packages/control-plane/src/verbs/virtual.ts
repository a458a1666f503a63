import type { Backend } from '../contracts/backend.ts';
import type { Call } from '../contracts/call.ts';
import { pathMethodNotAllowed, pathNotFound } from '../errors/api-errors.ts';
import { admissionRequest, decodeKnown, optionsObject } from './admit.ts';
import { trackUpdate } from './managed-fields.ts';
import type { AnyObject } from './prepare.ts';
import { checkNamespace, writeOptions } from './write-options.ts';

/** The body of a create that stores nothing, and what is left to do before it may be answered. */
export interface VirtualCreate {
  readonly object: AnyObject;
  /** Asks the validating admission plugins; to be called after the kind's own checks. */
  admit(object: AnyObject): Promise<void>;
}

/** Decodes, prunes, defaults and mutates the body of a create on a kind that is only ever answered, such as a review. */
export async function virtualCreate(
  backend: Backend,
  call: Call,
  withDefaults: (object: AnyObject) => AnyObject = (object) => object,
): Promise<VirtualCreate> {
  const options = writeOptions(call, 'create');
  const known = decodeKnown(backend, call, options);
  checkNamespace(call, known.metadata?.namespace);
  const placed =
    call.info.namespaced && call.namespace !== undefined
      ? { ...known, metadata: { ...known.metadata, namespace: call.namespace } }
      : known;
  const defaulted = withDefaults(backend.schemas.applyDefaults(call.info, placed));
  const managed = trackUpdate(backend, call, undefined, defaulted, options);
  const request = { dryRun: options.dryRun, optionsObject: optionsObject('CreateOptions', options) };
  const mutated = await backend.admission.mutate(
    admissionRequest(call, 'CREATE', { object: managed }, request),
    call.warn,
  );
  return {
    object: mutated ?? managed,
    admit: (object) => backend.admission.validate(admissionRequest(call, 'CREATE', { object }, request), call.warn),
  };
}

/** Such a kind can be created, in its namespace if it has one, and nothing else: it has no objects that could be named. */
export function requireCreate(verb: string, { name, namespace, info }: Call): void {
  if (name !== undefined || (info.namespaced && namespace === undefined)) throw pathNotFound();
  if (verb !== 'create') throw pathMethodNotAllowed();
}
