import { type Clock, KubeError } from '@flotilla/kube';
import {
  type Metadata,
  ResponderBuilder,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
} from '@grpc/grpc-js';
import { toCallStatus, toStreamStatus } from '../grpc/error-status.ts';
import { callLimits } from '../limits.ts';
import type { Authorizer } from './authorizer.ts';
import { type CallContext, readCallContext } from './call-context.ts';
import { CallTimer } from './call-timer.ts';
import type { Connections } from './connections.ts';
import type { EventServerObserver, HandledCall } from './observer.ts';

/** What a caller has under way, as long as a call of it runs. */
export interface Admission {
  /** Whose use of the server is counted. */
  readonly party: string;
  /** How many connections that party may have open. */
  readonly maxConnections: number;
  /**
   * Waits for the turn of a call to be received, which may have megabytes under way: `messages` are received at once, `uploads` as fast as they
   * are forwarded. Call the result when it was received. Never rejects.
   */
  turn(of: 'messages' | 'uploads'): Promise<() => void>;
  /** How long the message of a call may take once it has its turn. Default: 30 s. */
  readonly receiveTimeoutMs?: number;
  /** Counts bytes of the call until it ends. Throws `TooManyRequests`. */
  hold(bytes: number): void;
  /** Call when the call has ended. */
  release(): void;
}

/** A call whose caller is known. */
export interface AdmittedCall {
  readonly context: CallContext;
  readonly admission: Admission;
}

const admitted = new WeakMap<Metadata, AdmittedCall>();

/** The admission of a call that has reached its handler. */
export function admissionOf(call: { readonly metadata: Metadata }): AdmittedCall {
  const found = admitted.get(call.metadata);
  if (!found) throw new Error('a call reached its handler without being admitted');
  return found;
}

/** How calls are admitted. */
export interface AdmissionOptions {
  readonly admit: Authorizer<never>['admit'];
  readonly connections: Pick<Connections, 'claim'>;
  readonly clock: Clock;
  readonly observer: EventServerObserver | undefined;
}

/**
 * Decides by the metadata of a call who sends it, before anything else of it is read: until then what follows waits with its sender, because
 * HTTP/2 takes no more than a window of it.
 */
export function admissionInterceptor({ admit, connections, clock, observer }: AdmissionOptions): ServerInterceptor {
  return ({ path, responseStream }, call) => {
    const method = path.slice(path.lastIndexOf('/') + 1) as HandledCall['method'];
    const timer = new CallTimer(method, clock, observer);
    const held = new Releases();
    const receiving = new Releases();
    const refuse = (error: unknown) => {
      if (held.isReleased) return;
      const refused = responseStream ? toStreamStatus(error) : toCallStatus(error);
      timer.end(refused.code);
      call.sendStatus(refused);
    };
    const begin = async (metadata: Metadata): Promise<boolean> => {
      const context = readCallContext(call, metadata);
      const admission = await admit(context);
      if (!held.keep(() => admission.release())) return false;
      connections.claim(context.peer, admission);
      admitted.set(metadata, { context, admission });
      const endTurn = await admission.turn(method === 'Forward' ? 'uploads' : 'messages');
      if (!receiving.keep(endTurn)) return false;
      // A forwarded request has deadlines of its own.
      const { receiveTimeoutMs = callLimits.receiveTimeoutMs } = admission;
      if (method !== 'Forward')
        receiving.keep(clock.schedule(receiveTimeoutMs, () => refuse(tooSlow(receiveTimeoutMs))));
      return true;
    };
    const end = () => {
      receiving.release();
      held.release();
    };
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, next) => {
        begin(metadata).then((begun) => begun && next(metadata), refuse);
      })
      .withOnReceiveMessage((message, next) => {
        if (method !== 'Forward') receiving.release();
        next(message);
      })
      .withOnReceiveHalfClose((next) => {
        receiving.release();
        next();
      })
      .withOnCancel(end)
      .build();
    return new ServerInterceptingCall(call, new ResponderBuilder().withStart((next) => next(listener)).build());
  };
}

/** What is to be released together, once. */
class Releases {
  #kept: (() => void)[] | undefined = [];

  get isReleased(): boolean {
    return this.#kept === undefined;
  }

  /** False if the others have been released already; this is then, too. */
  keep(release: () => void): boolean {
    if (this.#kept) this.#kept.push(release);
    else release();
    return !this.isReleased;
  }

  release(): void {
    const kept = this.#kept ?? [];
    this.#kept = undefined;
    for (const release of kept) release();
  }
}

const tooSlow = (receiveTimeoutMs: number): KubeError =>
  new KubeError('Timeout', `the caller did not send its message for ${receiveTimeoutMs / 1000} s`);
