import { type Clock, KubeError } from '@flotilla/kube';
import { type CloudEvent, Extension } from '../event/cloud-event.ts';
import { heartbeatType } from '../event/event-type.ts';
import { EventQueue, type QueuedEvent } from './event-queue.ts';

/** Where the events of a stream go. */
export interface EventSink {
  /** Sends one event. False if the reader is behind: send no more until `onDrain`. */
  write(event: CloudEvent): boolean;
  onDrain(callback: () => void): void;
  /** Ends the stream, with an error for the reader if there is one. */
  end(error?: Error): void;
}

/** What a stream is made with. */
export interface EventStreamOptions {
  readonly clock: Clock;
  /** Undefined: no heartbeats. */
  readonly heartbeatMs?: number;
  /** How many objects may wait for a reader that is behind. */
  readonly maxQueued: number;
}

/** Sends events to one subscriber, never faster than it reads, and never makes the sender wait. */
export class EventStream {
  readonly #sink: EventSink;
  readonly #options: EventStreamOptions;
  readonly #queue: EventQueue;
  /** Events, without heartbeats. */
  #sent = 0;
  #reported = 0;
  #blocked = false;
  #ended = false;

  constructor(sink: EventSink, options: EventStreamOptions) {
    this.#sink = sink;
    this.#options = options;
    this.#queue = new EventQueue(options.maxQueued);
    sink.onDrain(() => {
      this.#blocked = false;
      this.#flush();
    });
  }

  /** How many events wait for the reader. */
  get queued(): number {
    return this.#queue.size;
  }

  send(event: CloudEvent): void {
    this.sendWhenReady(keyOf(event), event);
  }

  /** Sends an event in the place of an older one with the same key. One that is to be made is made when the reader is ready for it. */
  sendWhenReady(key: string, event: QueuedEvent): void {
    if (this.#ended) return;
    if (!this.#queue.push(key, event)) {
      const message = `the subscriber is more than ${this.#options.maxQueued} objects behind: subscribe again and resync`;
      this.end(new KubeError('TooManyRequests', message));
    } else this.#flush();
  }

  end(error?: Error): void {
    if (this.#ended) return;
    this.stop();
    this.#sink.end(error);
  }

  /** A reader that is behind has proof of the connection in what it has not read yet. */
  beat(heartbeat: CloudEvent): void {
    if (!this.#blocked && !this.#ended) this.#write(heartbeat);
  }

  /** The reader is gone. */
  stop(): void {
    this.#ended = true;
  }

  #flush(): void {
    while (!this.#blocked && !this.#ended) {
      const event = this.#queue.shift();
      if (!event) return;
      this.#write(event);
    }
  }

  #write(event: CloudEvent): void {
    if (event.type === heartbeatType) this.#blocked = !this.#sink.write(this.#counted(event));
    else {
      this.#sent += 1;
      this.#blocked = !this.#sink.write(event);
    }
  }

  /** With how many events were sent, if that is news: a reader that has handled fewer asks for a resync. */
  #counted(heartbeat: CloudEvent): CloudEvent {
    if (this.#sent === this.#reported) return heartbeat;
    this.#reported = this.#sent;
    return { ...heartbeat, extensions: { ...heartbeat.extensions, [Extension.Sent]: String(this.#sent) } };
  }
}

/** An event that is not about one object is not replaced by another one. */
function keyOf(event: CloudEvent): string {
  const id = event.extensions[Extension.ResourceId];
  return typeof id === 'string' && id !== '' ? id : event.id;
}
