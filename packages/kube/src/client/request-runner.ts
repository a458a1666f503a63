import type { Observable } from 'rxjs';
import type { Clock } from '../clock/clock.ts';
import type { AccessSource, ClusterAccess } from '../credentials/access.ts';
import { KubeError } from '../errors/kube-error.ts';
import type { Logger } from '../log/logger.ts';
import type { KitMetrics } from '../metrics/kit-metrics.ts';
import { AccessSwitch } from './access-switch.ts';
import { Admission } from './admission.ts';
import { Call } from './call.ts';
import { createLane, type Lane } from './lane.ts';
import { bareHost, type Environment, isLoopback } from './proxy-for.ts';
import { requestHeaders } from './request-headers.ts';
import { openStream, readBody } from './response-body.ts';
import { decideRetry, type RetryOptions } from './retry-policy.ts';
import type { KubeRequest, KubeResponse, KubeStream } from './transport.ts';
import { AttemptError, type WireResponse } from './wire.ts';
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

/** Asks for little, and every API server answers it; with bad credentials the answer is 401. */
const probeRequest: KubeRequest = { method: 'GET', path: '/version' };

/** Runs requests: slot, access, connection, one try, and the tries after it. */
export class RequestRunner {
  readonly moved: Observable<void>;
  readonly #options: RunnerOptions;
  readonly #switch: AccessSwitch;
  readonly #admission: Admission;
  readonly #calls = new Set<Call>();
  readonly #pools = new Set<WirePool>();
  readonly #warned = new Set<string>();
  #closed = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#admission = new Admission(options);
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

  async request(request: KubeRequest): Promise<KubeResponse> {
    const call = this.#start(request);
    try {
      return await this.#run(request, call, true, (lane) => this.#exchange(request, lane, call));
    } finally {
      this.#finish(call);
    }
  }

  async stream(request: KubeRequest): Promise<KubeStream> {
    const call = this.#start(request);
    try {
      const stream = await this.#run(request, call, false, async (lane) => {
        const response = await this.#send(request, lane, call, false);
        if (!isSuccess(response.status)) throw await this.#refusal(request, response, call);
        return openStream(response, call, () => this.#calls.delete(call));
      });
      call.stopDeadline();
      return stream;
    } catch (error) {
      this.#finish(call);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#switch.close();
    for (const call of [...this.#calls]) call.cancel('the client was closed');
    const cause = new KubeError('Canceled', 'the client was closed');
    for (const pool of this.#pools) pool.destroy(cause);
  }

  #start(request: KubeRequest): Call {
    const { clock, deadlineMs } = this.#options;
    const call = new Call({
      method: request.method,
      path: request.path,
      signal: request.signal,
      deadlineMs: request.deadlineMs ?? deadlineMs,
      clock,
    });
    this.#calls.add(call);
    if (this.#closed) call.cancel('the client was closed');
    return call;
  }

  #finish(call: Call): void {
    call.end();
    this.#calls.delete(call);
  }

  /** Tries until there is an answer, no further try is safe or worth it, or the call is over. */
  async #run<T>(request: KubeRequest, call: Call, needsSlot: boolean, attempt: (lane: Lane) => Promise<T>): Promise<T> {
    let refreshed = false;
    for (let retries = 0; ; ) {
      const lane = this.#switch.ready ?? (await call.wait('credentials', this.#switch.lane()));
      call.server = lane.access.server;
      const started = this.#options.clock.monotonic();
      let failed: AttemptError;
      try {
        const answer = needsSlot ? await this.#inSlot(request, call, () => attempt(lane)) : await attempt(lane);
        this.#measure(request, lane, '200', started);
        return answer;
      } catch (caught) {
        if (call.failure) throw call.failure;
        failed = caught instanceof AttemptError ? caught : new AttemptError(KubeError.from(caught), true);
        this.#measure(request, lane, String(failed.error.status ?? failed.error.code), started);
      }
      const { error } = failed;
      call.lastError = error;
      if (!refreshed && (error.status === 401 || error.code === 'Tls')) {
        refreshed = true;
        const next = await call.wait('credentials', this.#switch.refused(lane));
        if (next === lane && error.code === 'Tls') throw error;
        this.#options.metrics.retry({ verb: request.method, host: lane.host, reason: 'credentials' });
        continue;
      }
      const { retry, random, metrics } = this.#options;
      const decision = decideRetry({
        request,
        error,
        maybeProcessed: failed.maybeProcessed,
        retries,
        options: retry,
        random,
      });
      if (!decision || decision.delayMs >= call.remainingMs) throw error;
      retries++;
      metrics.retry({ verb: request.method, host: lane.host, reason: decision.reason });
      await this.#pause(call, decision.delayMs);
    }
  }

  async #inSlot<T>(request: KubeRequest, call: Call, attempt: () => Promise<T>): Promise<T> {
    const priority = request.priority ?? 'normal';
    if (!this.#admission.tryAcquire(priority)) {
      const turn = this.#admission.enqueue(priority);
      try {
        await call.wait('a free slot', turn.granted);
      } catch (error) {
        turn.leave();
        throw error;
      }
    }
    try {
      return await attempt();
    } finally {
      this.#admission.release();
    }
  }

  async #exchange(request: KubeRequest, lane: Lane, call: Call): Promise<KubeResponse> {
    const response = await this.#send(request, lane, call, this.#wantsGzip(request, lane));
    if (!isSuccess(response.status)) throw await this.#refusal(request, response, call);
    return { status: response.status, headers: response.headers, body: await readBody(response, call) };
  }

  async #refusal(request: KubeRequest, response: WireResponse, call: Call): Promise<KubeError> {
    return KubeError.fromResponse(request, response.status, await readBody(response, call), response.headers);
  }

  async #send(request: KubeRequest, lane: Lane, call: Call, gzip: boolean): Promise<WireResponse> {
    let wire = lane.pool.pick();
    if (!wire) {
      try {
        wire = await call.wait('a connection', lane.pool.open());
      } catch (caught) {
        throw call.failure ?? new AttemptError(KubeError.from(caught), false);
      }
    }
    const headers = requestHeaders(request, lane.headers, gzip);
    return wire.send({ method: request.method, path: lane.prefix + request.path, headers, body: request.body }, call);
  }

  async #pause(call: Call, ms: number): Promise<void> {
    const stop = new AbortController();
    // Slept, not scheduled: with no connection left, nothing else may keep the process alive until the next try.
    const slept = this.#options.clock.sleep(ms, stop.signal).catch(() => undefined);
    try {
      await call.wait('the next try', slept);
    } finally {
      stop.abort();
    }
  }

  async #probe(lane: Lane): Promise<void> {
    const call = this.#start(probeRequest);
    try {
      const response = await this.#send(probeRequest, lane, call, false);
      const body = await readBody(response, call);
      if (response.status === 401) throw KubeError.fromResponse(probeRequest, 401, body, response.headers);
    } finally {
      this.#finish(call);
    }
  }

  #createLane(access: ClusterAccess, reuse: Lane | undefined): Lane {
    this.#warnAbout(access);
    const pool = reuse?.pool ?? new WirePool(access, this.#options, (empty) => this.#pools.delete(empty));
    this.#pools.add(pool);
    return createLane(access, pool, this.#options.userAgent);
  }

  #warnAbout(access: ClusterAccess): void {
    const { log } = this.#options;
    const url = new URL(access.server);
    const problem = access.insecureSkipTlsVerify
      ? 'the certificate of the server is not verified because insecure-skip-tls-verify is set: anyone on the way can read and change requests'
      : url.protocol === 'http:' && !isLoopback(bareHost(url))
        ? 'the server is reached without TLS: anyone on the way can read and change requests'
        : undefined;
    if (problem === undefined || this.#warned.has(access.origin)) return;
    this.#warned.add(access.origin);
    log.warn(problem, { origin: access.origin, server: access.server });
  }

  #wantsGzip(request: KubeRequest, lane: Lane): boolean {
    return request.method === 'GET' && (this.#options.gzip ?? !lane.isLoopback);
  }

  #measure(request: KubeRequest, lane: Lane, code: string, started: number): void {
    const { metrics, clock } = this.#options;
    metrics.request({ verb: request.method, host: lane.host, code }, (clock.monotonic() - started) / 1000);
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;
