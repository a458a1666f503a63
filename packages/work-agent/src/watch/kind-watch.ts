import type { KubeObject, ObjectMeta, ResourceType } from '@flotilla/api-types';
import {
  describeSelection,
  isNotNewer,
  type KubeClient,
  keyOf,
  type ObjectKey,
  type QueuePriority,
  type ReflectorEvent,
  reflect,
} from '@flotilla/kube';
import type { Subscription } from 'rxjs';
import type { WatchEnvironment } from './object-tracker.ts';
import { covers, selectionsFor } from './scope.policy.ts';

/** What is known of an object without asking: its metadata, that it was deleted, or nothing for sure. */
export type Sighting =
  | { readonly kind: 'seen'; readonly metadata: ObjectMeta }
  | { readonly kind: 'gone'; readonly resourceVersion: string | undefined }
  | { readonly kind: 'unknown' };

/** Told of a change. What was there when a watch began waits behind what somebody changed just now. */
export type WakeHolder = (holder: string, priority: QueuePriority) => void;

const unknown: Sighting = { kind: 'unknown' };

interface Tracked {
  readonly holders: Set<string>;
  sighting: Sighting;
}

interface Feed {
  /** In logs and metrics. */
  readonly name: string;
  readonly selection: ReturnType<typeof selectionsFor>[number];
  subscription?: Subscription;
  synced: boolean;
  problem: Error | undefined;
}

/** Stands for each object that nobody here asked about, so that ten thousand of them take the room of one. */
const foreign: KubeObject = { metadata: { name: ' ' } };

/**
 * Follows the metadata of those objects of one kind that somebody holds, by as few and as narrow watches as will do.
 * What others have of the kind is dropped while it is read.
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
    this.#objects.set(key, { holders: new Set([holder]), sighting: unknown });
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

  /** Nothing is known while a watch is not open: what happens meanwhile is told when it is open again. */
  look(key: ObjectKey): Sighting {
    const tracked = this.#objects.get(key);
    return tracked && this.isFollowing(key) ? tracked.sighting : unknown;
  }

  /** Whether a change of the object would be told. */
  isFollowing(key: ObjectKey): boolean {
    return [...this.#feeds].some(
      ({ synced, problem, selection }) => synced && problem === undefined && covers(selection, key),
    );
  }

  /** Takes the answer to a request of `holder`: the event that tells the same is no news for it, but is for the others. */
  advance(holder: string, key: ObjectKey, metadata: ObjectMeta): void {
    const tracked = this.#objects.get(key);
    if (!tracked || !isNews(tracked.sighting, metadata.resourceVersion)) return;
    tracked.sighting = { kind: 'seen', metadata: slim(metadata) };
    for (const other of tracked.holders) if (other !== holder) this.#wake(other, 'live');
  }

  close(): void {
    for (const feed of this.#feeds) this.#close(feed);
    this.#objects.clear();
  }

  /** Opens what the objects need now; narrower watches that this makes needless end. */
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
    const feed: Feed = { name, selection, synced: false, problem: undefined };
    this.#feeds.add(feed);
    const strip = (object: KubeObject): KubeObject => {
      const { metadata } = object;
      return metadata && this.#objects.has(keyOf(object)) ? { metadata: slim(metadata) } : foreign;
    };
    const options = { ...this.#environment, ...selection, name, resource: this.#resource, strip };
    feed.subscription = reflect(options).subscribe((event) => this.#take(feed, event));
  }

  #close(feed: Feed): void {
    feed.subscription?.unsubscribe();
    this.#feeds.delete(feed);
    this.#environment.metrics.forget({ resource: feed.name });
  }

  #take(feed: Feed, event: ReflectorEvent<KubeObject>): void {
    switch (event.type) {
      case 'problem':
        feed.problem = event.problem;
        return;
      case 'applied':
        this.#see(event.object, 'live');
        return;
      case 'deleted': {
        const tracked = this.#objects.get(keyOf(event.object));
        if (!tracked) return;
        const { resourceVersion, uid } = event.object.metadata ?? {};
        // The end of an earlier object of this name, which was made anew by a request of ours meanwhile.
        if (isOfAnother(tracked.sighting, uid) && !isNews(tracked.sighting, resourceVersion)) return;
        tracked.sighting = { kind: 'gone', resourceVersion };
        this.#tell(tracked, 'live');
        return;
      }
      case 'replaced':
        this.#relist(feed, event.objects, event.resourceVersion);
        feed.synced = true;
    }
  }

  #see(object: KubeObject, priority: QueuePriority): void {
    const tracked = this.#objects.get(keyOf(object));
    const { metadata } = object;
    if (!tracked || !metadata || !isNews(tracked.sighting, metadata.resourceVersion)) return;
    tracked.sighting = { kind: 'seen', metadata };
    this.#tell(tracked, priority);
  }

  /**
   * An object that is missing in the list is asked for and not taken for gone: it may have been read as foreign just before
   * somebody asked about it. One that is known from a time after the list is no concern of the list.
   */
  #relist(feed: Feed, objects: readonly KubeObject[], listed: string): void {
    const priority = feed.synced ? 'live' : 'backlog';
    const present = new Set<ObjectKey>();
    for (const object of objects) {
      if (object === foreign) continue;
      present.add(keyOf(object));
      this.#see(object, priority);
    }
    for (const [key, tracked] of this.#objects) {
      if (present.has(key) || !covers(feed.selection, key) || tracked.sighting.kind !== 'seen') continue;
      if (!isNotNewer(tracked.sighting.metadata.resourceVersion, listed)) continue;
      tracked.sighting = unknown;
      this.#tell(tracked, priority);
    }
  }

  #tell(tracked: Tracked, priority: QueuePriority): void {
    for (const holder of tracked.holders) this.#wake(holder, priority);
  }
}

function isNews(sighting: Sighting, resourceVersion: string | undefined): boolean {
  switch (sighting.kind) {
    case 'unknown':
      return true;
    case 'gone':
      return !isNotNewer(resourceVersion, sighting.resourceVersion);
    case 'seen':
      return !isNotNewer(resourceVersion, sighting.metadata.resourceVersion);
  }
}

const isOfAnother = (sighting: Sighting, uid: string | undefined): boolean =>
  sighting.kind === 'seen' && sighting.metadata.uid !== uid;

/** Who set which field is long, and read from the object itself when it matters. */
function slim(metadata: ObjectMeta): ObjectMeta {
  const { managedFields: _, ...kept } = metadata;
  return kept;
}
