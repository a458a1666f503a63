import { type CachedResource, type Informers, isDeleting, KubeError, keyOf, type ObjectKey } from '@flotilla/kube';
import { deployments } from '@flotilla/kube/kinds';
import { apiVersionOf } from '@flotilla/kube/meta';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import { merge, mergeMap, type Observable } from 'rxjs';
import { ApplyError, type ObjectFailure } from './apply-error.ts';
import { type KeptGeneration, type KeptObjects, recordedGeneration, relatedResource } from './kept-objects.ts';
import { hasAll, isUnchanged, replacement, withHash } from './rendered.policy.ts';

/** What a keeper keeps, and where. */
export interface ObjectKeeperOptions {
  /** Of the cluster that has the objects. */
  readonly informers: Pick<Informers, 'resource'>;
  /** Its value on an object is the name of the object's owner: a ClusterManager or a Klusterlet. */
  readonly ownerLabel: string;
  readonly fieldManager: string;
  /** Of the objects that are rendered, in the order in which they are removed. */
  readonly kinds: readonly ResourceType[];
}

/** For whom objects are rendered. */
export interface KeptOwner {
  readonly name: string;
  /** On each object, besides the one that names the owner. */
  readonly labels?: Readonly<Record<string, string>>;
  /** What its status records. */
  readonly generations?: readonly KeptGeneration[] | undefined;
}

/**
 * Keeps on one cluster the objects that an operator renders. It watches those that have the label of their owner: what is edited or
 * deleted by others is seen at once and rendered again, and what is rendered no more is found by the label, also after a restart.
 */
export interface ObjectKeeper extends Disposable {
  /** Names of owners, each time one of their objects changes: wakes the controller by `on(keeper.changes)`. */
  readonly changes: Observable<ObjectKey>;
  /** Resolves when the objects that are there are known. Nothing is applied before. */
  whenSynced(options?: { signal?: AbortSignal; timeoutMs?: number }): Promise<void>;
  /** Makes objects as they are rendered, in their order, and writes only those that differ. Throws `ApplyError` after it tried all. */
  apply(owner: KeptOwner, objects: readonly KubeObject[]): Promise<KeptObjects>;
  /** Deletes what the owner has here and `rendered` does not name. Returns what is not gone yet. */
  removeOthers(owner: string, rendered: readonly KubeObject[], kinds?: readonly ResourceType[]): Promise<KubeObject[]>;
  /** Deletes all that the owner has here, as the server lists it: what was just applied may not be in the cache yet. Returns what is not gone yet. */
  removeAll(owner: string, kinds?: readonly ResourceType[]): Promise<KubeObject[]>;
  /** The live object of a rendered one, as it is in the cache. */
  find(rendered: KubeObject): KubeObject | undefined;
  /** An object of an owner, as it is in the cache. */
  get<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey): T | undefined;
  close(): void;
}

interface KeptKind {
  readonly type: ResourceType;
  readonly cache: CachedResource<KubeObject>;
}

/** Keeps objects of some kinds on one cluster. */
export function createObjectKeeper({ informers, ownerLabel, fieldManager, kinds }: ObjectKeeperOptions): ObjectKeeper {
  const kept: readonly KeptKind[] = kinds.map((type) => ({
    type,
    cache: informers.resource(type, { labelSelector: ownerLabel }),
  }));
  const ownerOf = ({ metadata }: KubeObject): string | undefined => metadata?.labels?.[ownerLabel];
  const close = () => {
    for (const { cache } of kept) cache.close();
  };
  return {
    changes: merge(...kept.map(({ cache }) => cache.changes)).pipe(
      mergeMap(({ object, previous }) => new Set([object, previous ?? object].flatMap((one) => ownerOf(one) ?? []))),
    ),
    async whenSynced(options) {
      await Promise.all(kept.map(({ cache }) => cache.whenSynced(options)));
    },
    async apply({ name, labels, generations }, objects) {
      const owned = objects.map((object) => withHash(object, { ...labels, [ownerLabel]: name }));
      return applyAll(kept, owned, { fieldManager, generations });
    },
    async removeOthers(owner, rendered, only = kinds) {
      const others = kept
        .filter(({ type }) => only.includes(type))
        .map((kind) => {
          const keys = new Set(rendered.filter(isOf(kind.type)).map(keyOf));
          return {
            ...kind,
            objects: kind.cache.list().filter((one) => ownerOf(one) === owner && !keys.has(keyOf(one))),
          };
        });
      return removeKinds(others);
    },
    async removeAll(owner, only = kinds) {
      const labelSelector = `${ownerLabel}=${owner}`;
      const left: KubeObject[] = [];
      for (const kind of kept.filter(({ type }) => only.includes(type))) {
        const { items } = await kind.cache.resource.list({ labelSelector });
        left.push(...(await removeKinds([{ ...kind, objects: items }])));
      }
      return left;
    },
    find: (rendered) => kept.find(({ type }) => isOf(type)(rendered))?.cache.get(keyOf(rendered)),
    // The same kind means the same type of objects.
    get: <T extends KubeObject>(type: ResourceType<T>, key: ObjectKey) =>
      kept.find((kind) => kind.type === type)?.cache.get(key) as T | undefined,
    close,
    [Symbol.dispose]: close,
  };
}

const isOf =
  (type: ResourceType) =>
  ({ apiVersion, kind }: KubeObject): boolean =>
    kind === type.kind && apiVersion === apiVersionOf(type);

/** Deletes objects, kind by kind. Returns those that were there; throws `ApplyError` after it tried all. */
async function removeKinds(kinds: readonly (KeptKind & { readonly objects: readonly KubeObject[] })[]) {
  const failures: ObjectFailure[] = [];
  const left: KubeObject[] = [];
  for (const { type, cache, objects } of kinds) {
    for (const other of objects) {
      const object = { ...other, apiVersion: apiVersionOf(type), kind: type.kind };
      left.push(object);
      if (!isDeleting(object)) await remove(cache, object).catch((error) => failures.push({ object, error }));
    }
  }
  if (failures.length > 0) throw new ApplyError(failures);
  return left;
}

/** By its uid: another of the same name, which came meanwhile, stays. */
const remove = (cache: CachedResource<KubeObject>, object: KubeObject): Promise<void> =>
  cache.delete(keyOf(object), {
    propagationPolicy: 'Background',
    ...(object.metadata?.uid && { preconditions: { uid: object.metadata.uid } }),
  });

async function applyAll(
  kept: readonly KeptKind[],
  objects: readonly KubeObject[],
  { fieldManager, generations }: { fieldManager: string; generations: readonly KeptGeneration[] | undefined },
): Promise<KeptObjects> {
  const failures: ObjectFailure[] = [];
  const relatedResources: KeptObjects['relatedResources'][number][] = [];
  const written: KeptGeneration[] = [];
  for (const object of objects) {
    try {
      const { type, cache } = kindOf(kept, object);
      const related = relatedResource(type, object);
      relatedResources.push(related);
      if (type === deployments) {
        const live = await replaceOne(cache, object, recordedGeneration(generations, related));
        written.push({ ...related, lastGeneration: live.metadata?.generation ?? 0 });
      } else await applyOne(cache, object, fieldManager);
    } catch (error) {
      failures.push({ object, error });
    }
  }
  if (failures.length > 0) throw new ApplyError(failures);
  return { relatedResources, generations: written };
}

function kindOf(kept: readonly KeptKind[], object: KubeObject): KeptKind {
  const found = kept.find(({ type }) => isOf(type)(object));
  if (!found) throw new KubeError('Config', `this operator does not keep objects of the kind ${object.kind}`);
  return found;
}

/** By server-side apply: fields of others stay. Not into an object on its way out: it is made anew once it is gone. */
async function applyOne(cache: CachedResource<KubeObject>, object: KubeObject, fieldManager: string): Promise<void> {
  const live = cache.get(keyOf(object));
  if (live && isDeleting(live)) throw goingAway(object);
  if (live && hasAll(live, { ...object, apiVersion: undefined, kind: undefined })) return;
  await cache.apply(object, { fieldManager, force: true });
}

/** As a whole, as OCM does: a container or an argument that somebody added to a Deployment goes. */
async function replaceOne(
  cache: CachedResource<KubeObject>,
  object: KubeObject,
  lastGeneration: number | undefined,
): Promise<KubeObject> {
  const cached = cache.get(keyOf(object));
  if (cached && isUnchanged(cached, object, lastGeneration)) return cached;
  // One without the label of its owner is not in the cache.
  const live = cached ?? (await cache.find(keyOf(object)));
  if (!live) return cache.create(object);
  if (isDeleting(live)) throw goingAway(object);
  return cache.replace(replacement(live, object));
}

const goingAway = ({ kind, metadata }: KubeObject): KubeError =>
  new KubeError('Conflict', `${kind} ${metadata?.name} is being deleted`, {
    hint: 'It is made again once it is gone. If it stays, see which finalizers hold it.',
  });
