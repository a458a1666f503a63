import type { Clock } from '@flotilla/kube';
import { type MonotonicTime, msBetween } from '@flotilla/kube/clock';
import { status } from '@grpc/grpc-js';
import type { DataType } from '../event/data-type.ts';
import type { EventServerObserver, HandledCall } from './observer.ts';

/** Reports one call when it has ended. */
export class CallTimer {
  readonly #observer: EventServerObserver | undefined;
  readonly #clock: Clock;
  readonly #method: HandledCall['method'];
  readonly #startedAt: MonotonicTime;
  /** Set once the call was read and its data type is served: labels of metrics are not for callers to invent. */
  dataType: DataType | undefined;
  #ended = false;

  constructor(method: HandledCall['method'], clock: Clock, observer: EventServerObserver | undefined) {
    this.#method = method;
    this.#clock = clock;
    this.#observer = observer;
    this.#startedAt = clock.monotonic();
  }

  end(code: status): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#observer?.handled({
      method: this.#method,
      code: status[code],
      seconds: msBetween(this.#startedAt, this.#clock.monotonic()) / 1000,
      ...(this.dataType && { dataType: this.dataType }),
    });
  }
}
