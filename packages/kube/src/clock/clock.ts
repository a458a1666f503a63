import type { EpochMs, MonotonicTime, WallTime } from './time.ts';

/** The only source of time in Flotilla: a test passes a FakeClock and moves it by hand. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. For what others read: timestamps, leases. */
  now(): WallTime;
  /** Milliseconds that never jump. For measuring and for deadlines. */
  monotonic(): MonotonicTime;
  /** Runs `callback` once after `ms`; call the result to cancel. Does not keep the process alive. */
  schedule(ms: number, callback: () => void): () => void;
  /** Resolves after `ms`; rejects with the signal's reason if it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The wall clock alone: a Clock, or any object that tells the time. */
export interface WallClock {
  now(): EpochMs;
}
