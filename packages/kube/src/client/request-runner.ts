import type { Observable } from 'rxjs';
import type { Clock } from '../clock/clock.ts';
import type { AccessSource, ClusterAccess } from '../credentials/access.ts';
import { KubeError } from '../errors/kube-error.ts';
import type { Logger } from '../log/logger.ts';
import type { KitMetrics } from '../metrics/kit-metrics.ts';
import { AccessSwitch } from './access-switch.ts';
import { AccessWarnings } from './access-warnings.ts';
import { Admission } from './admission.ts';
import { Call } from './call.ts';
import { createLane, type Lane } from './lane.ts';
import type { Environment } from './proxy-for.ts';
import { requestHeaders } from './request-headers.ts';
import { openStream, readResponse } from './response-body.ts';
import { decideRetry, type RetryOptions } from './retry-policy.ts';
import type { KubeRequest, KubeResponse, KubeStream, RequestPriority } from './transport.ts';
import { AttemptError, type Wire, type WireRequest, type WireResponse } from './wire.ts';
import { WirePool } from './wire-pool.ts';

interface RunnerOptions {
  access: AccessSource;
  clock: Clock;
  log: Logger;
  metrics: KitMetrics;
  env: Environment;
  userAgent: string;
  deadlineMs: number;
  connectTimeoutMs: number;
  maxInFlight: number;
  rateLimit: { qps: number; burst: number } | undefined;
  retry: RetryOptions;
  pingIntervalMs: number;
  pingTimeoutMs: number;
  gzip: boolean | undefined;
  random: () => number;
}

/** What to make of a response whose head is a success. */
type Finish<T> = (response: WireResponse, call: Call) => Promise<T>;

/** Asks for little, and every API server answers it; with bad credentials the answer is 401. */
const probeRequest: KubeRequest = { method: 'GET', path: '/version' };

/** Runs requests: access, slot, connection, one try, and the tries after it. */
export class RequestRunner {
  readonly moved: Observable<void>;
  readonly #options: RunnerOptions;
  readonly #switch: AccessSwitch;
  readonly #admission: Admission;
  readonly #warnings: AccessWarnings;
  readonly #calls = new Set<Call>();
  readonly #pools = new Set<WirePool>();
  #closed = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#admission = new Admission(options);
    this.#warnings = new AccessWarnings(options.log);
    this.#switch = new AccessSwitch({
      source: options.access,
      clock: options.clock,
      log: options.log,
      metrics: options.metrics,
      createLane: (access, reuse) => this.#createLane(access, reuse),
      probe: (lane) => this.#probe(lane),
    });
    this.moved = this.#switch.moved.asObservable();
  }

  request(request: KubeRequest): Promise<KubeResponse> {
    return this.#run(request, false, readResponse);
  }

  stream(request: KubeRequest): Promise<KubeStream> {
    return this.#run(request, true, async (response, call) => {
      call.stopDeadline();
      return openStream(response, call, () => this.#calls.delete(call));
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#switch.close();
    for (const call of [...this.#calls]) call.cancel('the client was closed');
    const cause = new KubeError('Canceled', 'the client was closed');
    for (const pool of this.#pools) pool.destroy(cause);
  }

  /** Tries until there is an answer, no further try is safe or worth it, or the call is over. */
  async #run<T>(request: KubeRequest, isStream: boolean, finish: Finish<T>): Promise<T> {
    const call = this.#start(request);
    let refreshed = false;
    let retries = 0;
    try {
      for (;;) {
        const lane = this.#switch.ready ?? (await call.wait('credentials', this.#switch.lane()));
        call.server = lane.access.server;
        const started = this.#options.clock.monotonic();
        let failed: AttemptError;
        try {
          const answer = await this.#attempt(request, call, lane, isStream, finish);
          if (!isStream) this.#finish(call);
          this.#measure(request, lane, '200', started);
          return answer;
        } catch (caught) {
          if (call.failure) throw call.failure;
          failed = caught instanceof AttemptError ? caught : new AttemptError(KubeError.from(caught), true);
        }
        const { error } = failed;
        call.lastError = error;
        this.#measure(request, lane, String(error.status ?? error.code), started);
        if (!refreshed && (error.status === 401 || error.code === 'Tls')) {
          refreshed = true;
          await this.#refreshAccess(request, call, lane, error);
        } else {
          await this.#awaitRetry(request, call, lane, failed, retries++);
        }
      }
    } catch (error) {
      this.#finish(call);
      throw error;
    }
  }

  async #attempt<T>(request: KubeRequest, call: Call, lane: Lane, isStream: boolean, finish: Finish<T>): Promise<T> {
    // Streams last, so they must not hold the slots of requests.
    const priority = isStream ? undefined : (request.priority ?? 'normal');
    if (priority && !this.#admission.tryAcquire(priority)) await this.#queue(call, priority);
    try {
      const wire = lane.pool.pick() ?? (await this.#connect(lane, call));
      const response = await wire.send(this.#wireRequest(request, lane, isStream), call);
      if (response.status >= 200 && response.status < 300) return await finish(response, call);
      const { status, body, headers } = await readResponse(response, call);
      throw KubeError.fromResponse(request, status, body, headers);
    } finally {
      if (priority) this.#admission.release();
    }
  }

  /** Throws the error unless there is other access to try with. */
  async #refreshAccess(request: KubeRequest, call: Call, lane: Lane, error: KubeError): Promise<void> {
    const next = await call.wait('credentials', this.#switch.refused(lane));
    // A 401 may be a server that has not heard yet of a new token; a CA that does not fit stays so.
    if (next === lane && error.code === 'Tls') throw error;
    this.#options.metrics.retry({ verb: request.method, host: lane.host, reason: 'credentials' });
  }

  /** Throws the error if it is final, or if the deadline leaves no time for another try. */
  async #awaitRetry(
    request: KubeRequest,
    call: Call,
    lane: Lane,
    failed: AttemptError,
    retries: number,
  ): Promise<void> {
    const { retry: options, random, metrics, clock } = this.#options;
    const { error, maybeProcessed } = failed;
    const decision = decideRetry({ request, error, maybeProcessed, retries, options, random });
    if (!decision || decision.delayMs >= call.remainingMs) throw error;
    metrics.retry({ verb: request.method, host: lane.host, reason: decision.reason });
    const stop = new AbortController();
    // Slept, not scheduled: with no connection left, nothing else may keep the process alive until the next try.
    const slept = clock.sleep(decision.delayMs, stop.signal).catch(() => undefined);
    try {
      await call.wait('the next try', slept);
    } finally {
      stop.abort();
    }
  }

  async #queue(call: Call, priority: RequestPriority): Promise<void> {
    const turn = this.#admission.enqueue(priority);
    try {
      await call.wait('a free slot', turn.granted);
    } catch (error) {
      turn.leave();
      throw error;
    }
  }

  async #connect(lane: Lane, call: Call): Promise<Wire> {
    try {
      return await call.wait('a connection', lane.pool.open());
    } catch (caught) {
      throw call.failure ?? new AttemptError(KubeError.from(caught), false);
    }
  }

  #wireRequest(request: KubeRequest, lane: Lane, isStream: boolean): WireRequest {
    const gzip = !isStream && request.method === 'GET' && (this.#options.gzip ?? !lane.isLoopback);
    return {
      method: request.method,
      path: lane.prefix + request.path,
      headers: requestHeaders(request, lane.headers, gzip),
      body: request.body,
    };
  }

  async #probe(lane: Lane): Promise<void> {
    const call = this.#start(probeRequest);
    try {
      const wire = lane.pool.pick() ?? (await this.#connect(lane, call));
      const response = await wire.send(this.#wireRequest(probeRequest, lane, false), call);
      const { status, body, headers } = await readResponse(response, call);
      if (status === 401) throw KubeError.fromResponse(probeRequest, status, body, headers);
    } finally {
      this.#finish(call);
    }
  }

  #createLane(access: ClusterAccess, reuse: Lane | undefined): Lane {
    this.#warnings.check(access);
    const pool = reuse?.pool ?? new WirePool(access, this.#options, (empty) => this.#pools.delete(empty));
    this.#pools.add(pool);
    return createLane(access, pool, this.#options.userAgent);
  }

  #start(request: KubeRequest): Call {
    const { clock, deadlineMs } = this.#options;
    const call = new Call(request, request.deadlineMs ?? deadlineMs, clock);
    this.#calls.add(call);
    if (this.#closed) call.cancel('the client was closed');
    return call;
  }

  #finish(call: Call): void {
    call.end();
    this.#calls.delete(call);
  }

  #measure(request: KubeRequest, lane: Lane, code: string, started: number): void {
    const { metrics, clock } = this.#options;
    metrics.request({ verb: request.method, host: lane.host, code }, (clock.monotonic() - started) / 1000);
  }
}
