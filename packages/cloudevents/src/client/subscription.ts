import { type Clock, KubeError, type Logger } from '@flotilla/kube';
import type { CloudEvent } from '../event/cloud-event.ts';
import { formatDataType } from '../event/data-type.ts';
import { heartbeatType } from '../event/event-type.ts';
import type { CurrentChannel, LiveChannel } from './current-channel.ts';
import type { SubscriptionRequest } from './event-channel.ts';
import { HeartbeatTimer } from './heartbeat-timer.ts';
import { ReconnectGate, type ReconnectOptions } from './reconnect.ts';

/** The events of a subscription. A handler must not throw. */
export interface SubscriptionHandlers {
  /** The stream is open, for the first time or again. What happened before is not sent: ask for a resync now. */
  onSubscribed(): void;
  /** An event, never a heartbeat. */
  onEvent(event: CloudEvent): void;
  /** A heartbeat. One with the id of a resync request says that its answers have all been sent before; one with data announces. */
  onHeartbeat?(heartbeat: CloudEvent): void;
  /** The stream was refused or lost. It is opened again by itself. */
  onError?(error: KubeError): void;
}

/** What a subscription is made with. */
export interface SubscriptionContext {
  readonly channel: CurrentChannel;
  readonly server: ReconnectGate;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly reconnect: ReconnectOptions;
  readonly headerTimeoutMs: number;
  readonly heartbeatTimeoutMs: number;
  /** The server does not accept the credentials: read them again. */
  readonly invalidate: () => void;
}

/** The server is there, and a cluster is accepted a moment after it asked, mostly. */
const refusedBaseMs = 250;

/** Keeps a stream open until the signal aborts. */
export async function keepSubscribed(
  context: SubscriptionContext,
  request: SubscriptionRequest,
  handlers: SubscriptionHandlers,
  signal: AbortSignal,
): Promise<void> {
  // A refusal is of this stream alone, such as before the cluster is accepted; a server that is away is so for all streams.
  const { baseMs, maxMs } = context.reconnect;
  const refused = { baseMs: Math.min(baseMs, refusedBaseMs), maxMs };
  const own = new ReconnectGate(context.clock, context.random, refused);
  while (!signal.aborted) {
    const outcome = await readStream(context, request, { ...handlers, onSubscribed: subscribed }, signal);
    if (outcome === 'again' || signal.aborted) continue;
    handlers.onError?.(outcome);
    context.log.warn('the stream is lost and will be opened again', { ...describe(request), error: outcome });
    if (outcome.code === 'Unauthorized') context.invalidate();
    await (isOfServer(outcome) ? context.server : own).wait(signal);
  }

  function subscribed(): void {
    own.reset();
    context.server.reset();
    handlers.onSubscribed();
  }
}

const isOfServer = (error: KubeError): boolean => error.code === 'Unavailable' || error.code === 'Timeout';
const describe = ({ dataType, clusterName }: SubscriptionRequest) => ({
  cluster: clusterName,
  dataType: formatDataType(dataType),
});

/** One stream from its opening to its end: `again` if it is to be opened at once, with other credentials. */
async function readStream(
  context: SubscriptionContext,
  request: SubscriptionRequest,
  handlers: SubscriptionHandlers,
  signal: AbortSignal,
): Promise<KubeError | 'again'> {
  let live: LiveChannel;
  try {
    live = await context.channel.current();
  } catch (error) {
    return KubeError.from(error, 'no credentials for the stream');
  }
  const { channel, retired } = live;
  // While the credentials were read: a listener that is added now would not be called any more.
  if (signal.aborted || retired.aborted) return 'again';
  return new Promise((resolve) => {
    const stop = (outcome: KubeError | 'again') => {
      cancelHeader();
      heartbeat.stop();
      cancel?.();
      retired.removeEventListener('abort', again);
      signal.removeEventListener('abort', again);
      resolve(outcome);
    };
    const again = () => stop('again');
    const giveUp = (message: string) => {
      stop(new KubeError('Unavailable', message));
      context.channel.abandon(channel);
    };
    const heartbeat = new HeartbeatTimer(context.clock, context.heartbeatTimeoutMs, () =>
      giveUp(`stream timeout: no heartbeat received for ${context.heartbeatTimeoutMs / 1000} s`),
    );
    const cancelHeader = context.clock.schedule(context.headerTimeoutMs, () =>
      giveUp(`the server did not confirm the subscription within ${context.headerTimeoutMs / 1000} s`),
    );
    let cancel: (() => void) | undefined;
    retired.addEventListener('abort', again, { once: true });
    signal.addEventListener('abort', again, { once: true });
    cancel = channel.subscribe(request, {
      onSubscribed() {
        cancelHeader();
        handlers.onSubscribed();
      },
      onEvent(event) {
        if (event.type !== heartbeatType) return handlers.onEvent(event);
        heartbeat.beat();
        handlers.onHeartbeat?.(event);
      },
      onMalformed: (error) =>
        context.log.warn('an event cannot be read and is dropped', { ...describe(request), error }),
      onEnd: (error) =>
        stop(error ? KubeError.from(error) : new KubeError('Unavailable', 'the server ended the stream')),
    });
  });
}
