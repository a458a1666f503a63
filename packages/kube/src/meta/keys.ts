import type { KubeObject } from '@flotilla/schema';
import { KubeError } from '../errors/kube-error.ts';

/** `name`, or `namespace/name`: what queues, stores and handles all use. */
export type ObjectKey = string;

/** The two parts of a key; no namespace for a kind of cluster scope. */
export interface NamespacedName {
  namespace?: string;
  name: string;
}

const refuse = (message: string): KubeError =>
  new KubeError('BadRequest', message, {
    hint: 'A key is `name` for a kind of cluster scope and `namespace/name` for a namespaced one.',
  });

/** `namespace/name`, or `name` alone. */
export const joinKey = (namespace: string | undefined, name: string): ObjectKey =>
  namespace ? `${namespace}/${name}` : name;

/** The key of an object from its metadata. */
export function keyOf(object: KubeObject): ObjectKey {
  const name = object.metadata?.name;
  if (!name) throw refuse(`metadata.name is not set on this ${object.kind ?? 'object'}, so it has no key`);
  return joinKey(object.metadata?.namespace, name);
}

/** The parts of a key; refuses what cannot be one. */
export function splitKey(key: ObjectKey): NamespacedName {
  const slash = key.indexOf('/');
  if (slash === -1) {
    if (key === '') throw refuse('the key is empty');
    return { name: key };
  }
  const namespace = key.slice(0, slash);
  const name = key.slice(slash + 1);
  if (namespace === '') throw refuse(`the key "${key}" has an empty namespace`);
  if (name === '') throw refuse(`the key "${key}" has an empty name`);
  if (name.includes('/')) throw refuse(`the key "${key}" has more than one slash`);
  return { namespace, name };
}
