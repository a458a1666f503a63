import { type EventEmitter, once } from 'node:events';
import type { Clock } from '@flotilla/kube';

/** A client that reads nothing for so long is disconnected. */
const slowReaderMs = 60_000;

/** When a response takes more, is closed, or its reader was too slow, which rejects. Leaves no listeners behind. */
export async function drained(response: EventEmitter, clock: Clock): Promise<void> {
  const waiting = new AbortController();
  const cancel = clock.schedule(slowReaderMs, () => waiting.abort(new Error('the reader of a response is too slow')));
  const events = ['drain', 'close'].map((event) => once(response, event, { signal: waiting.signal }));
  try {
    await Promise.race(events);
  } finally {
    cancel();
    waiting.abort();
    await Promise.allSettled(events);
  }
}
