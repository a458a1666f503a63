import { keyOf } from '@flotilla/kube';
import { Observable } from 'rxjs';
import type { Registry } from '../contracts/resource-info.ts';
import type { Change, Storage, StorageResource } from '../contracts/storage.ts';
import { type CustomResourceDefinition, customStorage } from '../schema/custom.ts';

/** A change of an object of any kind. */
export interface ObjectChange {
  readonly storage: StorageResource;
  readonly change: Change;
}

/** All objects of all kinds, what is there first, and those of kinds that are defined later. */
export type ObjectFeed = Observable<ObjectChange>;

const definitions = 'apiextensions.k8s.io/customresourcedefinitions';

/**
 * Controllers that follow every kind would need an informer for each, and a copy of all objects. Being in the same process, they
 * subscribe to the storage instead: the objects are shared, and a change is observed when it is committed.
 */
export const createObjectFeed = (
  storage: Pick<Storage, 'list' | 'subscribe' | 'revision'>,
  registry: Pick<Registry, 'all'>,
): ObjectFeed =>
  new Observable((subscriber) => {
    const followed = new Map<StorageResource, () => void>();
    const follow = (resource: StorageResource): void => {
      if (followed.has(resource)) return;
      followed.set(
        resource,
        storage.subscribe(resource, (change) => {
          subscriber.next({ storage: resource, change });
          if (resource === definitions) followDefinition(change);
        }),
      );
      for (const object of storage.list(resource)) {
        const change: Change = { type: 'ADDED', revision: storage.revision, key: keyOf(object), object, bytes: 0 };
        subscriber.next({ storage: resource, change });
        if (resource === definitions) followDefinition(change);
      }
    };
    const followDefinition = ({ object }: Change): void => {
      const definition = object as CustomResourceDefinition;
      follow(customStorage(definition));
    };
    for (const info of registry.all()) if (info.verbs.includes('delete')) follow(info.storage);
    return () => {
      for (const stop of followed.values()) stop();
    };
  });
