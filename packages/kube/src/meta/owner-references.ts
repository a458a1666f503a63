import type { KubeObject, OwnerReference, ResourceType } from '@flotilla/schema';
import { KubeError } from '../errors/kube-error.ts';
import { apiVersionOf } from './api-version.ts';

/** What a reference to an owner says besides who it is. */
export interface OwnerReferenceOptions {
  /** At most one owner is the controller. */
  controller?: boolean;
  /** Foreground deletion of the owner waits for this object. */
  blockOwnerDeletion?: boolean;
}

/** A reference to an owner as it was read from the server: it must have its name and uid. */
export function ownerReferenceTo(
  type: ResourceType,
  owner: KubeObject,
  { controller, blockOwnerDeletion }: OwnerReferenceOptions = {},
): OwnerReference {
  const { name, uid } = owner.metadata ?? {};
  if (!name || !uid) {
    throw new KubeError('BadRequest', `an owner needs metadata.name and metadata.uid; this ${type.kind} lacks one`, {
      hint: 'Use the object as the server returned it, not the one that was sent.',
    });
  }
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    name,
    uid,
    ...(controller !== undefined && { controller }),
    ...(blockOwnerDeletion !== undefined && { blockOwnerDeletion }),
  };
}

/** The reference to the owner that controls this object, if any. */
export const controllerOf = (object: KubeObject): OwnerReference | undefined =>
  object.metadata?.ownerReferences?.find((reference) => reference.controller === true);

/** Whether `owner` is among the owners, by uid: a namesake that was created later is another owner. */
export const isOwnedBy = (object: KubeObject, owner: KubeObject): boolean =>
  object.metadata?.ownerReferences?.some((reference) => reference.uid === owner.metadata?.uid) ?? false;

/** Whether `owner` is the controlling owner. */
export const isControlledBy = (object: KubeObject, owner: KubeObject): boolean => {
  const reference = controllerOf(object);
  return reference !== undefined && reference.uid === owner.metadata?.uid;
};

/**
 * A copy of `object` owned by `reference`; an older reference to the same owner is replaced.
 * Refuses a second controller: two would undo each other's work.
 */
export function setOwner<T extends KubeObject>(object: T, reference: OwnerReference): T {
  const others = (object.metadata?.ownerReferences ?? []).filter(({ uid }) => uid !== reference.uid);
  const otherController = reference.controller ? others.find(({ controller }) => controller) : undefined;
  if (otherController) {
    throw new KubeError(
      'Conflict',
      `${object.kind ?? 'object'} "${object.metadata?.name}" is already controlled by ${otherController.kind} "${otherController.name}"`,
      {
        hint: 'Leave the object alone, or own it without `controller`.',
      },
    );
  }
  return { ...object, metadata: { ...object.metadata, ownerReferences: [...others, reference] } };
}
