import { type MonotonicTime, msBetween, timeAfter } from '@flotilla/kube/clock';
import { type CloudEvent, Extension } from '../event/cloud-event.ts';

/** A resync for what was lost; the second one in a row waits longer, because what cannot be handled comes again. */
const firstWaitMs = 10_000;
const maxWaitMs = 10 * 60_000;

/**
 * Whether all events of a stream were handled. A heartbeat of our server says how many were sent before it; whoever has handled fewer
 * acknowledges nothing and asks for them, so that a stream without losses costs no acknowledgements.
 */
export class EventLoss {
  /** As of the last heartbeat that said so. */
  #sent = 0;
  #handled = 0;
  #missing = 0;
  #waitMs = firstWaitMs;
  #notBefore: MonotonicTime | undefined;

  /** Another stream begins. */
  reset(): void {
    this.#sent = 0;
    this.#handled = 0;
    this.#missing = 0;
  }

  handled(): void {
    this.#handled += 1;
  }

  /** Whether a heartbeat says that more was lost than is known. */
  isNew(heartbeat: CloudEvent, now: MonotonicTime): boolean {
    const sent = Number(heartbeat.extensions[Extension.Sent] ?? this.#sent);
    if (Number.isSafeInteger(sent)) this.#sent = sent;
    const missing = this.#sent - this.#handled;
    const sinceMs = this.#notBefore === undefined ? Number.POSITIVE_INFINITY : msBetween(this.#notBefore, now);
    if (sinceMs < 0 || missing <= this.#missing) return false;
    this.#missing = missing;
    this.#waitMs = sinceMs > maxWaitMs ? firstWaitMs : Math.min(maxWaitMs, this.#waitMs * 2);
    this.#notBefore = timeAfter(now, this.#waitMs);
    return true;
  }
}
