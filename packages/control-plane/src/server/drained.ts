import { type EventEmitter, once } from 'node:events';
import type { Clock } from '@flotilla/kube';

export interface DrainOptions {
  readonly clock: Clock;
  /** A reader that takes nothing for so long is too slow. */
  readonly slowReaderMs: number;
}

/** Resolves when a response takes more, is sent (`finish`) or is closed; rejects when its reader is too slow. Leaves no listeners behind. */
export async function drained(
  response: EventEmitter,
  { clock, slowReaderMs }: DrainOptions,
  event: 'drain' | 'finish' | 'close' = 'drain',
): Promise<void> {
  const waiting = new AbortController();
  const cancel = clock.schedule(slowReaderMs, () => waiting.abort(new Error('the reader of a response is too slow')));
  const events = [event, 'close'].map((name) => once(response, name, { signal: waiting.signal }));
  try {
    await Promise.race(events);
  } finally {
    cancel();
    waiting.abort();
    await Promise.allSettled(events);
  }
}
