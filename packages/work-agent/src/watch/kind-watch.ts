import { type KubeClient, keyOf, type ObjectKey, type QueuePriority } from '@flotilla/kube';
import { isNotNewer } from '@flotilla/kube/meta';
import { describeSelection, type ReflectorEvent, reflect } from '@flotilla/kube/reflector';
import type { KubeObject, ObjectMeta, ResourceType } from '@flotilla/schema';
import type { Subscription } from 'rxjs';
import type { WatchEnvironment } from './object-tracker.ts';
import { covers, selectionsFor } from './scope.policy.ts';

/** What the watch knows of an object without a request: its metadata, that it was deleted, or nothing for sure. */
export type CachedMetadata =
  | { readonly kind: 'present'; readonly metadata: ObjectMeta }
  | { readonly kind: 'deleted'; readonly resourceVersion: string | undefined }
  | { readonly kind: 'unknown' };

/** Wakes a holder. What was there when a watch began waits behind what changed just now. */
export type WakeHolder = (holder: string, priority: QueuePriority) => void;

const unknown: CachedMetadata = { kind: 'unknown' };

interface Tracked {
  readonly holders: Set<string>;
  cached: CachedMetadata;
}

interface Feed {
  /** In logs and metrics. */
  readonly name: string;
  readonly selection: ReturnType<typeof selectionsFor>[number];
  subscription?: Subscription;
  synced: boolean;
  /** Ends when the first list is known, or is not to be expected soon. */
  readonly listed: PromiseWithResolvers<void>;
  lastError: Error | undefined;
}

/** Stands for each object that no holder tracks, so that ten thousand of them take the room of one. */
const foreign: KubeObject = { metadata: { name: ' ' } };

/**
 * Caches the metadata of the objects of one kind that holders track, by as few and as narrow watches as possible.
 * All other objects of the kind are dropped while they are read.
 */
export class KindWatch {
  readonly #resource;
  readonly #environment: WatchEnvironment;
  readonly #wake: WakeHolder;
  readonly #objects = new Map<ObjectKey, Tracked>();
  readonly #feeds = new Set<Feed>();

  constructor(
    client: Pick<KubeClient, 'metadata'>,
    type: ResourceType,
    environment: WatchEnvironment,
    wake: WakeHolder,
  ) {
    this.#resource = client.metadata(type);
    this.#environment = environment;
    this.#wake = wake;
  }

  /** How many watches are open. */
  get feeds(): number {
    return this.#feeds.size;
  }

  get isUnused(): boolean {
    return this.#objects.size === 0;
  }

  add(holder: string, key: ObjectKey): void {
    const tracked = this.#objects.get(key);
    if (tracked) {
      tracked.holders.add(holder);
      return;
    }
    this.#objects.set(key, { holders: new Set([holder]), cached: unknown });
    if (![...this.#feeds].some(({ selection }) => covers(selection, key))) this.#widen();
  }

  remove(holder: string, key: ObjectKey): void {
    const tracked = this.#objects.get(key);
    if (!tracked?.holders.delete(holder) || tracked.holders.size > 0) return;
    this.#objects.delete(key);
    for (const feed of this.#feeds) {
      if (!this.#objects.keys().some((other) => covers(feed.selection, other))) this.#close(feed);
    }
  }

  holders(key: ObjectKey): ReadonlySet<string> {
    return this.#objects.get(key)?.holders ?? new Set();
  }

  /** Nothing is known while a watch is not open: what happens meanwhile is reported when it is open again. */
  cached(key: ObjectKey): CachedMetadata {
    const tracked = this.#objects.get(key);
    return tracked && this.isFollowing(key) ? tracked.cached : unknown;
  }

  /** Whether a change of the object would be reported. */
  isFollowing(key: ObjectKey): boolean {
    return [...this.#feeds].some(
      ({ synced, lastError, selection }) => synced && lastError === undefined && covers(selection, key),
    );
  }

  /** Resolves when the watch of the object has its first list, fails, or ends. */
  async whenListed(key: ObjectKey): Promise<void> {
    const feeds = [...this.#feeds].filter(({ selection }) => covers(selection, key));
    await Promise.all(feeds.map(({ listed }) => listed.promise));
  }

  /** Takes the answer to a request of `holder`: the event that follows is not a change for it, but is for other holders. */
  advance(holder: string, key: ObjectKey, metadata: ObjectMeta): void {
    const tracked = this.#objects.get(key);
    if (!tracked || !isNewer(tracked.cached, metadata.resourceVersion)) return;
    tracked.cached = { kind: 'present', metadata: slim(metadata) };
    for (const other of tracked.holders) if (other !== holder) this.#wake(other, 'live');
  }

  close(): void {
    for (const feed of this.#feeds) this.#close(feed);
    this.#objects.clear();
  }

  /** Opens the watches that the objects need now, and closes narrower ones that these cover. */
  #widen(): void {
    const before = [...this.#feeds];
    for (const selection of selectionsFor(this.#objects.keys())) {
      const isOpen = before.some(
        (feed) =>
          feed.selection.namespace === selection.namespace && feed.selection.fieldSelector === selection.fieldSelector,
      );
      if (!isOpen) this.#open(selection);
    }
    const keys = [...this.#objects.keys()];
    for (const feed of before) {
      const isNeeded = keys.some(
        (key) =>
          covers(feed.selection, key) &&
          ![...this.#feeds].some((other) => other !== feed && covers(other.selection, key)),
      );
      if (!isNeeded) this.#close(feed);
    }
  }

  #open(selection: Feed['selection']): void {
    const name = `applied ${describeSelection(this.#resource.type, selection)}`;
    const feed: Feed = { name, selection, synced: false, listed: Promise.withResolvers(), lastError: undefined };
    this.#feeds.add(feed);
    const transform = (object: KubeObject): KubeObject => {
      const { metadata } = object;
      return metadata && this.#objects.has(keyOf(object)) ? { metadata: slim(metadata) } : foreign;
    };
    const options = { ...this.#environment, ...selection, name, resource: this.#resource, transform };
    feed.subscription = reflect(options).subscribe((event) => this.#onEvent(feed, event));
  }

  #close(feed: Feed): void {
    feed.subscription?.unsubscribe();
    feed.listed.resolve();
    this.#feeds.delete(feed);
    this.#environment.metrics.forget({ resource: feed.name });
  }

  #onEvent(feed: Feed, event: ReflectorEvent<KubeObject>): void {
    switch (event.type) {
      case 'error':
        feed.lastError = event.error;
        if (event.error) feed.listed.resolve();
        return;
      case 'applied':
        this.#update(event.object, 'live');
        return;
      case 'deleted': {
        const tracked = this.#objects.get(keyOf(event.object));
        if (!tracked) return;
        const { resourceVersion, uid } = event.object.metadata ?? {};
        // The deletion of an earlier object of this name, which a request of ours created again meanwhile.
        if (isOfAnother(tracked.cached, uid) && !isNewer(tracked.cached, resourceVersion)) return;
        tracked.cached = { kind: 'deleted', resourceVersion };
        this.#notify(tracked, 'live');
        return;
      }
      case 'replaced':
        this.#relist(feed, event.objects, event.resourceVersion);
        feed.synced = true;
        feed.listed.resolve();
    }
  }

  #update(object: KubeObject, priority: QueuePriority): void {
    const tracked = this.#objects.get(keyOf(object));
    const { metadata } = object;
    if (!tracked || !metadata || !isNewer(tracked.cached, metadata.resourceVersion)) return;
    tracked.cached = { kind: 'present', metadata };
    this.#notify(tracked, priority);
  }

  /**
   * An object that is missing in the list is read again and not taken for deleted: it may have been read as foreign just before a
   * holder tracked it. The first list of a watch does not concern what is known from a later time. A later list does: what is known
   * from a time after it is from a past that the server does not have any more, because it was restored from a backup.
   */
  #relist(feed: Feed, objects: readonly KubeObject[], listed: string): void {
    const priority = feed.synced ? 'live' : 'backlog';
    const present = new Set<ObjectKey>();
    const concerns = (known: string | undefined): boolean => feed.synced || isNotNewer(known, listed);
    for (const object of objects) {
      if (object === foreign) continue;
      const key = keyOf(object);
      present.add(key);
      const tracked = this.#objects.get(key);
      const known = tracked && versionOf(tracked.cached);
      const version = object.metadata?.resourceVersion;
      const isOlder = known !== undefined && version !== known && isNotNewer(version, known);
      if (tracked && isOlder && concerns(known)) this.#invalidate(tracked, priority);
      else this.#update(object, priority);
    }
    for (const [key, tracked] of this.#objects) {
      if (present.has(key) || !covers(feed.selection, key) || tracked.cached.kind !== 'present') continue;
      if (concerns(tracked.cached.metadata.resourceVersion)) this.#invalidate(tracked, priority);
    }
  }

  /** Nothing is known for sure any more: the holders observe the object again. */
  #invalidate(tracked: Tracked, priority: QueuePriority): void {
    tracked.cached = unknown;
    this.#notify(tracked, priority);
  }

  #notify(tracked: Tracked, priority: QueuePriority): void {
    for (const holder of tracked.holders) this.#wake(holder, priority);
  }
}

function versionOf(cached: CachedMetadata): string | undefined {
  switch (cached.kind) {
    case 'unknown':
      return undefined;
    case 'deleted':
      return cached.resourceVersion;
    case 'present':
      return cached.metadata.resourceVersion;
  }
}

function isNewer(cached: CachedMetadata, resourceVersion: string | undefined): boolean {
  switch (cached.kind) {
    case 'unknown':
      return true;
    case 'deleted':
      return !isNotNewer(resourceVersion, cached.resourceVersion);
    case 'present':
      return !isNotNewer(resourceVersion, cached.metadata.resourceVersion);
  }
}

const isOfAnother = (cached: CachedMetadata, uid: string | undefined): boolean =>
  cached.kind === 'present' && cached.metadata.uid !== uid;

/** managedFields are long, and read from the object itself when they matter. */
function slim(metadata: ObjectMeta): ObjectMeta {
  const { managedFields: _, ...kept } = metadata;
  return kept;
}
