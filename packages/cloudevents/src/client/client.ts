import type { Duplex } from 'node:stream';
import {
  type AccessSource,
  type Clock,
  type ClusterAccess,
  KubeError,
  type Logger,
  realClock,
  silentLogger,
} from '@flotilla/kube';
import type { Observable } from 'rxjs';
import type { CloudEvent } from '../event/cloud-event.ts';
import { parseEventType } from '../event/event-type.ts';
import type { ForwardOptions } from '../hub-proxy/forward-call.ts';
import type { ForwardAnswer, ForwardHead } from '../hub-proxy/forward-head.ts';
import { CurrentChannel } from './current-channel.ts';
import type { EventChannel, PublishOptions, SubscriptionRequest } from './event-channel.ts';
import { forwardOver } from './forward-over.ts';
import { openGrpcChannel } from './grpc-channel.ts';
import { defaultReconnect, ReconnectGate, type ReconnectOptions } from './reconnect.ts';
import { keepSubscribed, type SubscriptionContext, type SubscriptionHandlers } from './subscription.ts';
import { tunnelOver } from './tunnel-over.ts';

/** What a client is made with. */
export interface CloudEventsClientOptions {
  /** Where the server is (`https://host:port`), and the credentials. Changes are followed without a restart. */
  readonly access: AccessSource;
  readonly clock?: Clock;
  readonly log?: Logger;
  /** In [0, 1). */
  readonly random?: () => number;
  readonly reconnect?: ReconnectOptions;
  /** How long a server that sends heartbeats may be silent. Default: 30 s, three of its intervals. */
  readonly heartbeatTimeoutMs?: number;
  /** How long a publish may take. Default: 30 s. */
  readonly publishDeadlineMs?: number;
  /** Connects. Default: gRPC. */
  readonly open?: (access: ClusterAccess) => EventChannel;
}

/** Publishes events to one server and receives events from it, over one connection. */
export interface CloudEventsClient {
  /** Resolves when the server has handled the event. Rejects with a `KubeError`, which carries the answer of the hub's API. */
  publish(event: CloudEvent, options?: Partial<PublishOptions>): Promise<void>;
  /** Receives events until the result is called, over losses of the connection and changes of the credentials. */
  subscribe(request: SubscriptionRequest, handlers: SubscriptionHandlers): () => void;
  /**
   * Sends a request of an add-on to the API of the hub. Resolves with the head of the answer. A watch ends when other credentials took
   * over; any other answer comes to its end.
   */
  forward(head: ForwardHead, options?: ForwardOptions): Promise<ForwardAnswer>;
  /** Opens a connection of bytes to the API by which users of the hub reach the cluster. It stays when other credentials take over. */
  tunnel(clusterName: string, signal?: AbortSignal): Promise<Duplex>;
  /** Emits when other credentials took over. */
  readonly accessChanged: Observable<void>;
  /** Ends all streams and calls. Resolves when they have ended. Does not close the access. */
  close(): Promise<void>;
}

/** A client of one server. It connects at the first call. */
export function createCloudEventsClient(options: CloudEventsClientOptions): CloudEventsClient {
  const { access, clock = realClock, log = silentLogger, random = Math.random } = options;
  const reconnect = options.reconnect ?? defaultReconnect;
  const channel = new CurrentChannel(access, options.open ?? openGrpcChannel, log);
  const end = new AbortController();
  const streams = new Set<Promise<void>>();
  const context: SubscriptionContext = {
    channel,
    server: new ReconnectGate(clock, random, reconnect),
    clock,
    random,
    log,
    reconnect,
    headerTimeoutMs: 10_000,
    heartbeatTimeoutMs: options.heartbeatTimeoutMs ?? 30_000,
    invalidate: () => access.invalidate(),
  };

  return {
    async publish(event, { signal, onReply, deadlineMs = options.publishDeadlineMs ?? 30_000 } = {}) {
      let handlesOnce = false;
      const send = () =>
        channel.use((open) => {
          handlesOnce = open.handlesOnce ?? false;
          const ended = signal ? AbortSignal.any([signal, end.signal]) : end.signal;
          return open.publish(event, { deadlineMs, signal: ended, ...(onReply && { onReply }) });
        });
      try {
        return await send();
      } catch (error) {
        const isLost = KubeError.is(error, 'Unavailable') && handlesOnce && !signal?.aborted;
        if (!isLost && !KubeError.is(error, 'Unauthorized')) throw KubeError.from(error, `publish ${event.type}`);
        if (isLost) return publishAgain(event, send);
      }
      // The credentials may have been replaced a moment ago: once more with what the source has now.
      access.invalidate();
      await send();
    },
    subscribe(request, handlers) {
      const own = new AbortController();
      const signal = AbortSignal.any([own.signal, end.signal]);
      const stream = keepSubscribed(context, request, handlers, signal).finally(() => streams.delete(stream));
      streams.add(stream);
      return () => own.abort();
    },
    forward: (head, { body, signal } = {}) =>
      forwardOver(channel, head, {
        ...(body && { body }),
        signal: signal ? AbortSignal.any([signal, end.signal]) : end.signal,
      }),
    tunnel: (clusterName, signal) =>
      tunnelOver(channel, clusterName, signal ? AbortSignal.any([signal, end.signal]) : end.signal),
    accessChanged: channel.changed,
    async close() {
      end.abort();
      await Promise.all(streams);
      channel.close();
    },
  };
}

/**
 * The connection was lost before the answer came: once more with the same id, which the server handles once. Another replica does not know
 * the id; there an object that exists already is the one that the first attempt created.
 */
async function publishAgain(event: CloudEvent, send: () => Promise<void>): Promise<void> {
  try {
    await send();
  } catch (error) {
    const isCreated = KubeError.is(error, 'AlreadyExists') && parseEventType(event.type).action === 'create_request';
    if (!isCreated) throw KubeError.from(error, `publish ${event.type}`);
  }
}
