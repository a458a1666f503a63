import type { KubeObject } from '@flotilla/schema';
import type { Observable, Subscriber } from 'rxjs';
import type { Clock } from '../clock/clock.ts';
import { KubeError } from '../errors/kube-error.ts';
import type { Logger } from '../log/logger.ts';
import { keyOf } from '../meta/keys.ts';
import type { KitMetrics } from '../metrics/kit-metrics.ts';
import type { ResourceHandle, WatchEvent, WatchOptions } from '../resources/resource-handle.ts';
import { IdleTimer } from './idle-timer.ts';
import { describeSelection, type Selection } from './selection.ts';
import { initialState, type ReflectorSignal, type ReflectorState } from './state.ts';
import { transition, waitMs } from './transition.ts';

/** The events of a reflector, in order. */
export type ReflectorEvent<T extends KubeObject> =
  /** All objects at `resourceVersion`. An object that is not among them did not exist then, whatever was emitted before. */
  | { readonly type: 'replaced'; readonly objects: T[]; readonly resourceVersion: string }
  | { readonly type: 'applied'; readonly object: T }
  | { readonly type: 'deleted'; readonly object: T }
  /** Why it is not watching at present; undefined when it has recovered. */
  | { readonly type: 'error'; readonly error: KubeError | undefined };

/** What a reflector follows, and with what. */
export interface ReflectorOptions<T extends KubeObject> extends Selection {
  /** In logs, metrics and errors. Default: the kind and selection. */
  name?: string;
  resource: Pick<ResourceHandle<T>, 'type' | 'pages' | 'watch'>;
  /** Emits when streams should be opened anew because credentials or server changed. */
  accessChanged?: Observable<void>;
  /** Applied to each object before it is emitted. */
  transform: (object: T) => T;
  clock: Clock;
  log: Logger;
  metrics: KitMetrics;
  /** In [0, 1), for jitter. */
  random?: () => number;
}

/** How long the server has to accept a watch. */
const openDeadlineMs = 30_000;

/**
 * How long a watch may be silent, and how long the server is asked to keep it. A healthy API server sends a bookmark every 60 to
 * 75 s, and one just before it ends a watch.
 *
 * Where the connection is monitored, a dead one is noticed by its PING, so our limit only has to catch a server that went quiet,
 * and a healthy watch is never torn down for being idle. Over HTTP/1.1 nothing but data shows that the other end is there, and a
 * bookmark a minute is too rare to notice a dead socket within 60 s. So the server is asked to end the watch early: it then sends
 * its bookmark and a clean end every 45 s, which costs one request and keeps the resource version fresh.
 */
const watchTimeouts = {
  monitored: { silenceMs: 150_000, minSeconds: 300, spreadSeconds: 300 },
  unmonitored: { silenceMs: 50_000, minSeconds: 35, spreadSeconds: 10 },
} as const;

interface Attempt {
  readonly controller: AbortController;
  /** Set by whoever aborts the attempt: this is then how it ended. */
  interruption?: ReflectorSignal;
}

/** One run of the state machine: does what each state asks for until it is stopped. */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #name: string;
  readonly #log: Logger;
  readonly #random: () => number;
  readonly #output: Subscriber<ReflectorEvent<T>>;
  #state: ReflectorState = initialState;
  #stopped = false;
  #attempt: Attempt = { controller: new AbortController() };

  constructor(options: ReflectorOptions<T>, output: Subscriber<ReflectorEvent<T>>) {
    this.#options = options;
    this.#name = options.name ?? describeSelection(options.resource.type, options);
    this.#log = options.log.child({ watch: this.#name });
    this.#random = options.random ?? Math.random;
    this.#output = output;
  }

  async run(): Promise<void> {
    const moves = this.#options.accessChanged?.subscribe(() => this.#onAccessChanged());
    while (!this.#stopped) {
      const attempt: Attempt = { controller: new AbortController() };
      this.#attempt = attempt;
      const outcome = await this.#perform(attempt.controller.signal);
      if (!this.#stopped) this.#dispatch(attempt.interruption ?? outcome);
    }
    moves?.unsubscribe();
  }

  stop(): void {
    this.#stopped = true;
    this.#attempt.controller.abort();
  }

  /** Answers how it ended and never throws. */
  async #perform(signal: AbortSignal): Promise<ReflectorSignal> {
    const state = this.#state;
    try {
      if (state.phase === 'waiting') return await this.#wait(waitMs(state, this.#random()), signal);
      if (state.phase === 'watching') return await this.#watch(state.resourceVersion, signal);
      if (state.method === 'stream') return await this.#streamList(signal);
      return await this.#pagedList(state.method === 'whole' ? 0 : undefined, signal);
    } catch (error) {
      return { type: 'failed', at: this.#options.clock.monotonic(), error: this.#explain(error) };
    }
  }

  async #wait(ms: number, signal: AbortSignal): Promise<ReflectorSignal> {
    await this.#options.clock.sleep(ms, signal);
    return { type: 'waited' };
  }

  async #pagedList(pageSize: number | undefined, signal: AbortSignal): Promise<ReflectorSignal> {
    const { resource, clock } = this.#options;
    const objects: T[] = [];
    let resourceVersion: string | undefined;
    for await (const page of resource.pages({ ...this.#selection(), pageSize, priority: 'bulk', signal })) {
      for (const item of page.items) objects.push(this.#keep(item));
      resourceVersion = page.metadata.resourceVersion;
    }
    if (!resourceVersion) throw new KubeError('Decode', 'the list has no resourceVersion to watch from');
    // A watch that stays silent from the start must show as one that grows old.
    this.#options.metrics.watchActivity({ resource: this.#name }, clock.now() / 1000);
    this.#output.next({ type: 'replaced', objects, resourceVersion });
    return { type: 'listed', at: clock.monotonic(), resourceVersion, live: false };
  }

  /** One request that begins as the list and goes on as the watch. */
  #streamList(signal: AbortSignal): Promise<ReflectorSignal> {
    // By key, because changes may come between the initial events.
    let listed: Map<string, T> | undefined = new Map();
    return this.#follow({ sendInitialEvents: true, priority: 'bulk' }, signal, (event) => {
      if (!listed) {
        this.#emit(event);
      } else if (event.type === 'DELETED') {
        listed.delete(keyOf(event.object));
      } else if (event.type !== 'BOOKMARK') {
        const kept = this.#keep(event.object);
        listed.set(keyOf(kept), kept);
      } else if (event.object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true') {
        const { resourceVersion } = event.object.metadata;
        this.#output.next({ type: 'replaced', objects: [...listed.values()], resourceVersion });
        listed = undefined;
        this.#dispatch({ type: 'listed', at: this.#options.clock.monotonic(), resourceVersion, live: true });
      }
    });
  }

  #watch(resourceVersion: string, signal: AbortSignal): Promise<ReflectorSignal> {
    return this.#follow({ resourceVersion }, signal, (event) => this.#emit(event));
  }

  /** One watch request until the server ends it; silence interrupts it. */
  async #follow(
    request: WatchOptions,
    signal: AbortSignal,
    onEvent: (event: WatchEvent<T>) => void,
  ): Promise<ReflectorSignal> {
    const { resource, clock, metrics } = this.#options;
    const idleTimer = new IdleTimer(clock, () => this.#interrupt({ type: 'silent' }));
    const { minSeconds, spreadSeconds } = watchTimeouts[this.#state.monitored ? 'monitored' : 'unmonitored'];
    const onOpen = ({ monitored }: { monitored: boolean }) => {
      this.#dispatch({ type: 'opened', at: clock.monotonic(), monitored });
      idleTimer.start(watchTimeouts[monitored ? 'monitored' : 'unmonitored'].silenceMs);
    };
    const options: WatchOptions = {
      ...this.#selection(),
      ...request,
      // Spread, so that the watches of a thousand agents that started together do not end together.
      timeoutSeconds: Math.round(minSeconds + spreadSeconds * this.#random()),
      deadlineMs: openDeadlineMs,
      signal,
      onOpen,
    };
    try {
      for await (const event of resource.watch(options)) {
        if (signal.aborted) break;
        idleTimer.reset();
        metrics.watchActivity({ resource: this.#name }, clock.now() / 1000);
        onEvent(event);
      }
    } finally {
      idleTimer.stop();
    }
    return { type: 'closed', at: clock.monotonic() };
  }

  #emit(event: WatchEvent<T>): void {
    if (event.type !== 'BOOKMARK') {
      const type = event.type === 'DELETED' ? 'deleted' : 'applied';
      this.#output.next({ type, object: this.#keep(event.object) });
    }
    const resourceVersion = event.object.metadata?.resourceVersion;
    if (resourceVersion) this.#dispatch({ type: 'progressed', resourceVersion });
  }

  /** Checked here, where a throw is reported as an error: subscribers rely on each object having a key. */
  #keep(object: T): T {
    const kept = this.#options.transform(object);
    keyOf(kept);
    return kept;
  }

  #onAccessChanged(): void {
    const state = this.#state;
    // The next page is asked for with the new credentials anyway.
    if (state.phase === 'listing' && state.method !== 'stream') return;
    this.#interrupt({ type: 'accessChanged' });
  }

  #interrupt(signal: ReflectorSignal): void {
    this.#attempt.interruption ??= signal;
    this.#attempt.controller.abort();
  }

  #dispatch(signal: ReflectorSignal): void {
    const before = this.#state;
    this.#state = transition(before, signal);
    const { lastError, phase, failures } = this.#state;
    if (lastError !== before.lastError) {
      this.#output.next({ type: 'error', error: lastError });
      if (lastError) this.#log.warn('cannot follow the server', { error: lastError, hint: lastError.hint, failures });
      else this.#log.info('following the server again');
    }
    const reason = restartReason(signal);
    if (!reason) return;
    this.#log.debug('watch ended', { reason, next: phase });
    this.#options.metrics.watchRestart({ resource: this.#name, reason });
  }

  #selection(): Selection {
    const { namespace, labelSelector, fieldSelector } = this.#options;
    return { namespace, labelSelector, fieldSelector };
  }

  /** Names the step that failed and keeps the cause. */
  #explain(error: unknown): KubeError {
    const cause = KubeError.from(error);
    const { phase, method } = this.#state;
    const step = phase === 'watching' ? 'watch' : method === 'stream' ? 'streaming list' : 'list';
    const message = cause.message.startsWith(`${cause.code}: `)
      ? cause.message.slice(cause.code.length + 2)
      : cause.message;
    const { hint, retryable, status, reason, details, retryAfterMs } = cause;
    return new KubeError(cause.code, `${step} of ${this.#name}: ${message}`, {
      cause,
      hint,
      retryable,
      status,
      reason,
      details,
      retryAfterMs,
    });
  }
}

/** The label of the metric: the code of the error, or what else ended a list or watch. */
function restartReason(signal: ReflectorSignal): string | undefined {
  switch (signal.type) {
    case 'failed':
      return signal.error.code;
    case 'closed':
      return 'Closed';
    case 'silent':
      return 'Silent';
    case 'accessChanged':
      return 'AccessChanged';
    default:
      return undefined;
  }
}
