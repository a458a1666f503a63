/** The only source of time in Flotilla: a test passes a FakeClock and moves it by hand. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. For what others read: timestamps, leases. */
  now(): number;
  /** Milliseconds that never jump. For measuring and for deadlines. */
  monotonic(): number;
  /** Runs `callback` once after `ms`; call the result to cancel. Does not keep the process alive. */
  schedule(ms: number, callback: () => void): () => void;
  /** Resolves after `ms`; rejects with the signal's reason if it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
