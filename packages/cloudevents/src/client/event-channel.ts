import type { Duplex } from 'node:stream';
import type { CloudEvent } from '../event/cloud-event.ts';
import type { DataType } from '../event/data-type.ts';
import type { ForwardOptions } from '../hub-proxy/forward-call.ts';
import type { ForwardAnswer, ForwardHead } from '../hub-proxy/forward-head.ts';

/** Which events a stream carries. */
export interface SubscriptionRequest {
  /** Receives events of this source only; absent for all. */
  readonly source?: string;
  readonly clusterName: string;
  readonly dataType: DataType;
}

/** What happens on a stream. After `onEnd` nothing does. */
export interface StreamHandlers {
  /** The server has registered the subscription: events from now on arrive. */
  onSubscribed(): void;
  /** Heartbeats included. */
  onEvent(event: CloudEvent): void;
  /** An event that cannot be read; the stream goes on. */
  onMalformed(error: Error): void;
  /** A `KubeError`; undefined if the server ended the stream regularly. */
  onEnd(error?: Error): void;
}

/** How an event is published. */
export interface PublishOptions {
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
  /** Called with the answer of a server that sends it with the call, before the call resolves. */
  readonly onReply?: (reply: CloudEvent) => void;
}

/** One connection with fixed credentials. */
export interface EventChannel {
  /** Resolves when the receiver has handled the event; rejects with a `KubeError`. */
  publish(event: CloudEvent, options: PublishOptions): Promise<void>;
  /** Whether the server handles an event that is published again only once. Known when a stream is confirmed. */
  readonly handlesOnce?: boolean;
  /** Opens a stream; call the result to cancel it, after which no handler is called. */
  subscribe(request: SubscriptionRequest, handlers: StreamHandlers): () => void;
  /** Sends a request to the API of the hub. Absent: this channel carries events only. */
  forward?(head: ForwardHead, options: ForwardOptions): Promise<ForwardAnswer>;
  /** Opens a connection of bytes for a cluster. Absent: this channel carries events only. */
  tunnel?(clusterName: string, signal: AbortSignal): Promise<Duplex>;
  /** Ends all calls. */
  close(): void;
}
