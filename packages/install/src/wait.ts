import { type Clock, KubeError } from '@flotilla/kube';

/** What was observed: the result, or why there is none yet. */
export type Observation<T> = { readonly found: T } | { readonly pending: string };

/** What is waited for, how long, and who is informed meanwhile. */
export interface Wait {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** As in "waiting for `goal`". */
  readonly goal: string;
  /** What the user can do after a timeout. */
  readonly hint: string;
  readonly timeoutMs: number;
  readonly onPending: (message: string) => void;
  /** How often to look. Default: 200 ms; longer for a server that is not ours. */
  readonly intervalMs?: number;
}

/** A wait ended without a result. The message says why it was still pending. */
export class WaitTimeoutError extends Error {
  override readonly name = 'WaitTimeoutError';
  readonly hint: string;

  constructor({ goal, hint, timeoutMs }: Pick<Wait, 'goal' | 'hint' | 'timeoutMs'>, pending: string) {
    super(`timed out after ${Math.round(timeoutMs / 1000)}s waiting for ${goal}: ${pending}`);
    this.hint = hint;
  }
}

const defaultIntervalMs = 200;

/** Observes until there is a result. A server that is unreachable for a while is waited for too. */
export async function waitFor<T>(wait: Wait, observe: () => Promise<Observation<T>>): Promise<T> {
  const { clock, signal, goal, timeoutMs, onPending, intervalMs = defaultIntervalMs } = wait;
  const deadline = clock.monotonic() + timeoutMs;
  for (;;) {
    const observed = await observe().catch((error: unknown) => {
      if (error instanceof KubeError && error.retryable) return { pending: error.message };
      throw error;
    });
    if ('found' in observed) return observed.found;
    if (clock.monotonic() >= deadline) throw new WaitTimeoutError(wait, observed.pending);
    onPending(`Waiting for ${goal}: ${observed.pending}`);
    await clock.sleep(intervalMs, signal);
  }
}
