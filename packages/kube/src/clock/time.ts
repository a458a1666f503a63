declare const clockOf: unique symbol;

/** A point in time of the wall clock, in milliseconds since the epoch. It may jump, so it is not for measuring. */
export type WallTime = number & { readonly [clockOf]: 'wall' };

/** A point in time of the monotonic clock of this process, in milliseconds. Means nothing to another process. */
export type MonotonicTime = number & { readonly [clockOf]: 'monotonic' };

/** Milliseconds since the epoch from anywhere, only not from the monotonic clock. */
export type EpochMs = number & { readonly [clockOf]?: 'wall' };

/** A time of the wall clock that does not come from a Clock: a timestamp of an object, or of a test. */
export const wallTime = (epochMs: EpochMs): WallTime => epochMs as WallTime;

/** A point in time so much later (or earlier) by the same clock. A sum with `+` is a plain number, which no deadline accepts. */
export const timeAfter = <T extends WallTime | MonotonicTime>(time: T, ms: number): T => (time + ms) as T;

/** How much later `to` is than `from`. Both must be of the same clock. */
export const msBetween = <T extends WallTime | MonotonicTime>(from: T, to: NoInfer<T>): number => to - from;
