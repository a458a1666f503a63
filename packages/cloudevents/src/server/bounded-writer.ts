import type { ServerWritableStream } from '@grpc/grpc-js';
import { callLimits } from '../limits.ts';
import type { CloudEvent } from '../protobuf/generated/io/cloudevents/v1/cloudevent_pb.ts';

/** The library counts events only, and no bytes. */
const { maxUnsentEvents, maxUnsentBytes } = callLimits;

type Call = Pick<ServerWritableStream<unknown, CloudEvent>, 'write'>;

/** Writes events to a stream, and says when its reader has too much ahead of it. */
export class BoundedWriter {
  readonly #call: Call;
  #unsent = 0;
  #unsentBytes = 0;
  #isBlocked = false;
  #onDrain = () => {};

  constructor(call: Call) {
    this.#call = call;
  }

  /** False if the reader is behind: write no more until it has caught up. */
  write(message: CloudEvent): boolean {
    const bytes = message.data.case === 'binaryData' ? message.data.value.length : 0;
    this.#unsent += 1;
    this.#unsentBytes += bytes;
    this.#call.write(message, () => this.#sent(bytes));
    this.#isBlocked = this.#isFull;
    return !this.#isBlocked;
  }

  onDrain(callback: () => void): void {
    this.#onDrain = callback;
  }

  get #isFull(): boolean {
    return this.#unsent >= maxUnsentEvents || this.#unsentBytes >= maxUnsentBytes;
  }

  #sent(bytes: number): void {
    this.#unsent -= 1;
    this.#unsentBytes -= bytes;
    if (!this.#isBlocked || this.#isFull) return;
    this.#isBlocked = false;
    this.#onDrain();
  }
}
