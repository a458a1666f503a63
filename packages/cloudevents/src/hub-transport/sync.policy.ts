import type { KubeError } from '@flotilla/kube';
import { backoffMs } from '@flotilla/kube/clock';

/** How far a replica is in step with the hub. */
export type SyncState =
  /** No stream is open. The client opens it again by itself. */
  | { readonly kind: 'unsubscribed'; readonly error?: KubeError }
  /** The stream is open, and the hub was asked for what is missing. `error`: why it had to be asked again. */
  | { readonly kind: 'syncing'; readonly failures: number; readonly error?: KubeError }
  /** The stream is open, and the hub is asked again soon. */
  | { readonly kind: 'retrying'; readonly failures: number; readonly error: KubeError }
  /** Complete. `failures`: of resyncs in a row since then, for which no reader waits. */
  | { readonly kind: 'synced'; readonly failures: number }
  | { readonly kind: 'closed' };

/** What happens to it. */
export type SyncEvent =
  | { readonly type: 'subscribed' | 'closed' }
  /** The stream was refused or lost. */
  | { readonly type: 'lost'; readonly error: KubeError }
  /** All answers to the newest resync have arrived. */
  | { readonly type: 'completed' }
  /** The hub refused the newest resync, or did not take it in time. */
  | { readonly type: 'refused'; readonly error: KubeError }
  /** The time of the last step is over. */
  | { readonly type: 'due' }
  /** Events were lost on the way. */
  | { readonly type: 'missed' };

/** What follows from an event. */
export interface SyncStep {
  readonly state: SyncState;
  /** Ask the hub for what is missing. */
  readonly asks?: true;
  /** When to send `due`; absent: never. */
  readonly dueAfterMs?: number;
}

/** What was sent and lost on the way is asked for at the next connect, and this often. */
const resyncEveryMs = 10 * 60_000;
const retry = { baseMs: 1000, maxMs: 60_000 };

/**
 * The next step; undefined if nothing changes. While the stream is open, a resync is always under way or due: one that fails is repeated
 * with back-off. `random` is in [0, 1).
 */
export function nextStep(state: SyncState, event: SyncEvent, random: number): SyncStep | undefined {
  if (state.kind === 'closed') return undefined;
  switch (event.type) {
    case 'closed':
      return { state: { kind: 'closed' } };
    case 'lost':
      return { state: { kind: 'unsubscribed', error: event.error } };
    case 'subscribed':
      return { state: { kind: 'syncing', failures: 0 }, asks: true };
  }
  switch (state.kind) {
    case 'unsubscribed':
      return undefined;
    case 'syncing':
      if (event.type === 'completed') return synced(random);
      if (event.type === 'refused') return retrying(state.failures + 1, event.error, random);
      // What was lost may have been the answer to the resync under way.
      return { state, asks: true };
    case 'retrying':
      if (event.type === 'completed') return synced(random);
      if (event.type !== 'due') return undefined;
      return { state: { ...state, kind: 'syncing' }, asks: true };
    case 'synced': {
      if (event.type === 'completed') return synced(random);
      if (event.type !== 'refused') return { state, asks: true };
      const failures = state.failures + 1;
      return { state: { kind: 'synced', failures }, dueAfterMs: backoffMs(retry, failures, random) };
    }
  }
}

/** Why readers cannot rely on the replica although its stream is open; undefined if they can. */
export const outOfStep = (state: SyncState): KubeError | undefined =>
  state.kind === 'retrying' || state.kind === 'syncing' ? state.error : undefined;

const synced = (random: number): SyncStep => ({
  state: { kind: 'synced', failures: 0 },
  dueAfterMs: resyncEveryMs * (0.9 + random / 5),
});

const retrying = (failures: number, error: KubeError, random: number): SyncStep => ({
  state: { kind: 'retrying', failures, error },
  dueAfterMs: backoffMs(retry, failures, random),
});
