import { ApiGroup } from '@flotilla/api-types';
import { semanticEqual } from '@flotilla/kube/meta';
import type { OwnerReference } from '@flotilla/schema';

const groupOf = ({ apiVersion }: OwnerReference): string => apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));

/**
 * The owners of an add-on with its ClusterManagementAddOn among them; the same list if nothing changes. A reference of an older version or to an
 * earlier object of that name is replaced, others stay. Kubernetes allows one controller: beside that of somebody else it is a plain owner.
 */
export function withOwner(references: readonly OwnerReference[], owner: OwnerReference): readonly OwnerReference[] {
  const isOwn = (reference: OwnerReference): boolean =>
    reference.kind === owner.kind && reference.name === owner.name && groupOf(reference) === ApiGroup.AddOn;
  const isControlled = references.some((reference) => reference.controller === true && !isOwn(reference));
  const wanted = isControlled ? { ...owner, controller: false } : owner;
  const own = references.filter(isOwn);
  if (own.length === 0) return [...references, wanted];
  if (own.length === 1 && semanticEqual(own[0], wanted)) return references;
  return references.flatMap((reference) => (isOwn(reference) ? (reference === own[0] ? [wanted] : []) : [reference]));
}
