import { type Clock, keyOf, type Logger, type ObjectKey, type ResourceHandle, splitKey } from '@flotilla/kube';
import { stringifyJson } from '@flotilla/kube/meta';
import type { Manifest } from '../manifest.ts';
import { kindOf, type ObjectAddress, type ObjectTracker } from './object-tracker.ts';

/**
 * The first read of each object that works had applied before the agent started. Nothing on an object proves that it is still as it was
 * applied, so each is compared once; where many are in one place, they are listed together instead of being read one by one.
 */
export interface FirstReads {
  /** Announces what each holder is going to read. */
  expect(applied: Iterable<AppliedObject>): void;
  /** The handle, whose first `find` of an expected object may be answered by a list. */
  over(holder: string, target: ObjectAddress, handle: ResourceHandle<Manifest>): ResourceHandle<Manifest>;
  /** The first reads of the holder are over: what was listed for it is dropped. */
  release(holder: string): void;
}

/** An object that a holder applied, according to its record. */
export interface AppliedObject {
  readonly holder: string;
  readonly address: ObjectAddress;
}

/** What first reads need. */
export interface FirstReadsOptions {
  readonly tracker: ObjectTracker;
  readonly clock: Clock;
  readonly log: Logger;
  /** Characters of JSON that may be held at a time; what is beyond is read one by one. */
  readonly room?: number;
}

/** Objects of one kind in one namespace, or of one cluster-scoped kind. */
interface Place {
  readonly holders: Map<ObjectKey, string>;
  readonly listed: Map<ObjectKey, { readonly object: Manifest; readonly size: number }>;
  reading?: Promise<void>;
}

/** The page of a list is in memory as a whole, with what others have there. */
const pageSize = 250;
/** A page costs more than a read: it must be able to save so many of them. */
const leastPerPage = 5;
/** A watch or a list that takes longer is not waited for. */
const timeoutMs = 10_000;
const defaultRoom = 32 * 1024 * 1024;

const placeOf = ({ type, key }: ObjectAddress): string => `${kindOf(type)} ${splitKey(key).namespace ?? ''}`;

/** Makes first reads that expect nothing yet. */
export const createFirstReads = (options: FirstReadsOptions): FirstReads => new ListedReads(options);

class ListedReads implements FirstReads {
  readonly #tracker: ObjectTracker;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #places = new Map<string, Place>();
  readonly #expected = new Map<string, ObjectAddress[]>();
  /** One page of one list at a time bounds what is in memory. */
  #lists: Promise<void> = Promise.resolve();
  #left: number;

  constructor({ tracker, clock, log, room = defaultRoom }: FirstReadsOptions) {
    this.#tracker = tracker;
    this.#clock = clock;
    this.#log = log;
    this.#left = room;
  }

  expect(applied: Iterable<AppliedObject>): void {
    const together = Map.groupBy(applied, ({ address }) => placeOf(address));
    for (const [name, objects] of together) {
      const holders = new Map(objects.map(({ holder, address }) => [address.key, holder]));
      if (holders.size < leastPerPage) continue;
      this.#places.set(name, { holders, listed: new Map() });
      for (const { holder, address } of objects) {
        // Watched from before the list on, so that a change between the list and its use is noticed.
        this.#tracker.track(holder, address);
        const addresses = this.#expected.get(holder);
        if (holders.get(address.key) !== holder) continue;
        if (addresses) addresses.push(address);
        else this.#expected.set(holder, [address]);
      }
    }
  }

  over(holder: string, target: ObjectAddress, handle: ResourceHandle<Manifest>): ResourceHandle<Manifest> {
    if (!this.#expected.has(holder)) return handle;
    return {
      ...handle,
      find: async (key, options) =>
        (key === target.key ? await this.#find(holder, target, handle, options?.signal) : undefined) ??
        handle.find(key, options),
    };
  }

  release(holder: string): void {
    for (const address of this.#expected.get(holder) ?? []) this.#take(address);
    this.#expected.delete(holder);
  }

  /** Each object is answered once: a second read of it is about a change. */
  #take(address: ObjectAddress): Manifest | undefined {
    const name = placeOf(address);
    const place = this.#places.get(name);
    const found = place?.listed.get(address.key);
    place?.holders.delete(address.key);
    place?.listed.delete(address.key);
    if (place?.holders.size === 0) this.#places.delete(name);
    this.#left += found?.size ?? 0;
    return found?.object;
  }

  async #list(place: Place, handle: ResourceHandle<Manifest>, options: ListCall): Promise<void> {
    const mostPages = Math.floor(place.holders.size / leastPerPage);
    let pages = 0;
    for await (const { items } of handle.pages({ ...options, pageSize, deadlineMs: timeoutMs })) {
      for (const object of items) {
        const key = keyOf(object);
        if (!place.holders.has(key)) continue;
        const size = stringifyJson(object)?.length ?? 0;
        if (size > this.#left) continue;
        this.#left -= size;
        place.listed.set(key, { object, size });
      }
      pages += 1;
      const missing = place.holders.size - place.listed.size;
      if (pages >= mostPages || missing < leastPerPage) return;
    }
  }

  async #read(
    place: Place,
    target: ObjectAddress,
    handle: ResourceHandle<Manifest>,
    signal?: AbortSignal,
  ): Promise<void> {
    try {
      await withTimeout(this.#clock, this.#tracker.whenListed(target), signal);
      // Without a watch, nothing shows that an object changed after the list.
      if (!this.#tracker.isFollowing(target)) return;
      const { namespace } = splitKey(target.key);
      const turn = this.#lists.then(() =>
        this.#list(place, handle, { ...(namespace && { namespace }), ...(signal && { signal }) }),
      );
      this.#lists = turn.catch(() => {});
      await turn;
    } catch (error) {
      if (signal?.aborted) return;
      this.#log.info('cannot list applied objects, reading them one by one', { resource: placeOf(target), error });
    }
  }

  async #find(
    holder: string,
    target: ObjectAddress,
    handle: ResourceHandle<Manifest>,
    signal?: AbortSignal,
  ): Promise<Manifest | undefined> {
    const place = this.#places.get(placeOf(target));
    if (place?.holders.get(target.key) !== holder) return undefined;
    place.reading ??= this.#read(place, target, handle, signal);
    await place.reading;
    const object = this.#take(target);
    const cached = this.#tracker.cached(target);
    const isCurrent =
      cached.kind === 'present' && cached.metadata.resourceVersion === object?.metadata?.resourceVersion;
    return isCurrent ? object : undefined;
  }
}

type ListCall = { readonly namespace?: string; readonly signal?: AbortSignal };

/** Waits for `promise`, but not for ever. */
async function withTimeout(clock: Clock, promise: Promise<void>, signal?: AbortSignal): Promise<void> {
  const end = new AbortController();
  try {
    await Promise.race([
      promise,
      clock.sleep(timeoutMs, AbortSignal.any(signal ? [signal, end.signal] : [end.signal])),
    ]);
  } finally {
    end.abort();
  }
}
