import type { KubeObject } from '@flotilla/schema';
import type { ObjectKey } from '../meta/keys.ts';

/** Index functions return the values under which an object is found; none is fine. */
export type IndexFunction<T> = (object: T) => readonly string[];

/** Objects as last seen. Reads are synchronous and never fail; objects are shared and must not be changed. */
export interface Store<T extends KubeObject> {
  get(key: ObjectKey): T | undefined;
  has(key: ObjectKey): boolean;
  list(): T[];
  keys(): IterableIterator<ObjectKey>;
  byIndex(index: string, value: string): T[];
  readonly size: number;
}

/** `previous` is what the store held; `initial` marks the backlog of a first list, which queues take at low priority. */
export type StoreChange<T extends KubeObject> =
  | { type: 'added'; key: ObjectKey; object: T; previous?: undefined; initial: boolean }
  | { type: 'updated'; key: ObjectKey; object: T; previous: T; initial: boolean }
  | { type: 'deleted'; key: ObjectKey; object: T; previous: T; initial: false };
