import { type ObjectKey, splitKey } from '@flotilla/kube';
import type { Selection } from '@flotilla/kube/reflector';

/** From so many objects of a kind in one namespace (or of a cluster-scoped kind) on, one watch of all is cheaper than one for each. */
const mostNames = 2;
/** From so many namespaces on, one watch of all is cheaper than one for each. */
const mostNamespaces = 4;

/** Whether a watch of `selection` covers the object. */
export function covers(selection: Selection, key: ObjectKey): boolean {
  const { namespace, name } = splitKey(key);
  if (selection.namespace !== undefined && selection.namespace !== namespace) return false;
  return selection.fieldSelector === undefined || selection.fieldSelector === byName(name);
}

/** The narrowest watches that together cover the objects, and that are not too many. */
export function selectionsFor(keys: Iterable<ObjectKey>): Selection[] {
  const names = new Map<string | undefined, string[]>();
  for (const key of keys) {
    const { namespace, name } = splitKey(key);
    const together = names.get(namespace);
    if (together) together.push(name);
    else names.set(namespace, [name]);
  }
  if (names.size > mostNamespaces) return [{}];
  return [...names].flatMap(([namespace, inNamespace]): Selection[] => {
    const place = namespace === undefined ? {} : { namespace };
    if (inNamespace.length > mostNames) return [place];
    return inNamespace.map((name) => ({ ...place, fieldSelector: byName(name) }));
  });
}

const byName = (name: string): string => `metadata.name=${name}`;
