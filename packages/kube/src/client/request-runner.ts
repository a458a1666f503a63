import type { Observable } from 'rxjs';
import type { Clock } from '../clock/clock.ts';
import type { AccessSource, ClusterAccess } from '../credentials/access.ts';
import { KubeError } from '../errors/kube-error.ts';
import type { Logger } from '../log/logger.ts';
import type { KitMetrics } from '../metrics/kit-metrics.ts';
import { AccessSwitch } from './access-switch.ts';
import { AccessWarnings } from './access-warnings.ts';
import { AnswerBudget } from './answer-budget.ts';
import { Call } from './call.ts';
import { AttemptError, type Connection, type ConnectionRequest } from './connection.ts';
import { ConnectionPool } from './connection-pool.ts';
import type { ForwardedResponse, RelayedRequest } from './forwarder.ts';
import { type PreparedAccess, prepareAccess } from './prepared-access.ts';
import type { Environment } from './proxy-for.ts';
import { forwardedHeaders, requestHeaders } from './request-headers.ts';
import { RequestLimiter } from './request-limiter.ts';
import { openForwarded, openStream, readWhole } from './response-body.ts';
import { decideRetry, type RetryOptions } from './retry-policy.ts';
import type { KubeRequest, KubeResponse, KubeStream } from './transport.ts';

interface RunnerOptions {
  access: AccessSource;
  clock: Clock;
  log: Logger;
  metrics: KitMetrics;
  env: Environment;
  proxyCa: string | undefined;
  userAgent: string;
  deadlineMs: number;
  connectTimeoutMs: number;
  maxInFlight: number;
  maxAnswerBytes: number;
  rateLimit: { qps: number; burst: number } | undefined;
  retry: RetryOptions;
  pingIntervalMs: number;
  pingTimeoutMs: number;
  gzip: boolean | undefined;
  random: () => number;
}

/** Sends one try and makes of the answer what the caller wants; throws for an answer other than 2xx. */
type Send<T> = (
  connection: Connection,
  connectionRequest: ConnectionRequest,
  call: Call,
  request: KubeRequest,
) => Promise<T>;

const exchangeWhole: Send<KubeResponse> = async (connection, connectionRequest, call, request) => {
  const answer = await connection.exchange(connectionRequest, call);
  if (isSuccess(answer.status)) return answer;
  throw refusal(request, answer);
};

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

const refusal = (request: KubeRequest, { status, body, headers }: KubeResponse): KubeError =>
  KubeError.fromResponse(request, status, body, headers);

/** Asks for little, and every API server answers it; with bad credentials the answer is 401, from one that is not up 5xx. */
const probeRequest: KubeRequest = { method: 'GET', path: '/version' };

/** Runs requests: access, slot, connection, one try, and the tries after it. */
export class RequestRunner {
  readonly accessChanged: Observable<void>;
  readonly #options: RunnerOptions;
  readonly #switch: AccessSwitch;
  readonly #limiter: RequestLimiter;
  readonly #warnings: AccessWarnings;
  readonly #budget: AnswerBudget;
  readonly #calls = new Set<Call>();
  readonly #pools = new Set<ConnectionPool>();
  #closed = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#limiter = new RequestLimiter(options);
    this.#budget = new AnswerBudget(options.maxAnswerBytes);
    this.#warnings = new AccessWarnings(options.log);
    this.#switch = new AccessSwitch({
      source: options.access,
      clock: options.clock,
      log: options.log,
      metrics: options.metrics,
      prepareAccess: (access, reuse) => this.#prepareAccess(access, reuse),
      probe: (prepared) => this.#probe(prepared),
    });
    this.accessChanged = this.#switch.accessChanged.asObservable();
  }

  request(request: KubeRequest): Promise<KubeResponse> {
    return this.#run(request, false, exchangeWhole);
  }

  stream(request: KubeRequest): Promise<KubeStream> {
    return this.#run(request, true, async (connection, connectionRequest, call) => {
      const response = await connection.open(connectionRequest, call);
      if (!isSuccess(response.status)) throw refusal(request, await readWhole(response, call));
      call.stopDeadline();
      return openStream(response, call, () => this.#calls.delete(call));
    });
  }

  /** Any answer is one to pass on, but a 401: that is about the credentials of this process. */
  forward(request: RelayedRequest): Promise<ForwardedResponse> {
    return this.#run(request, true, async (connection, connectionRequest, call) => {
      const headers = forwardedHeaders(connectionRequest.headers, request);
      const response = await connection.open({ ...connectionRequest, headers }, call);
      if (response.status === 401) throw refusal(request, await readWhole(response, call));
      call.stopDeadline();
      return openForwarded(response, call, () => this.#calls.delete(call));
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
  async #run<T extends { status: number }>(request: KubeRequest, isStream: boolean, send: Send<T>): Promise<T> {
    const call = this.#start(request);
    let refreshed = false;
    let retries = 0;
    try {
      for (;;) {
        if (call.failure) throw call.failure;
        const prepared = this.#switch.ready ?? (await call.wait('credentials', this.#switch.prepared()));
        call.server = prepared.access.server;
        const started = this.#options.clock.monotonic();
        let failed: AttemptError;
        try {
          const answer = await this.#attempt(request, call, prepared, isStream, send);
          if (!isStream) this.#finish(call);
          this.#measure(request, prepared, String(answer.status), started);
          return answer;
        } catch (caught) {
          if (call.failure) throw call.failure;
          failed = caught instanceof AttemptError ? caught : new AttemptError(KubeError.from(caught), true);
        }
        this.#freeSlot(call);
        const { error } = failed;
        call.lastError = error;
        this.#measure(request, prepared, String(error.status ?? error.code), started);
        if (!refreshed && (error.status === 401 || error.code === 'Tls')) {
          refreshed = true;
          await this.#refreshAccess(request, call, prepared, error);
        } else {
          await this.#awaitRetry(request, call, prepared, failed, retries++);
        }
      }
    } catch (error) {
      this.#finish(call);
      throw error;
    }
  }

  /** One try. Where a slot and a connection are free, which is the rule, it costs no further promise. */
  #attempt<T>(
    request: KubeRequest,
    call: Call,
    prepared: PreparedAccess,
    isStream: boolean,
    send: Send<T>,
  ): Promise<T> {
    const connection = prepared.pool.pick();
    const hasSlot = isStream || this.#takeSlot(request, call);
    const connectionRequest = this.#connectionRequest(request, prepared, isStream);
    return connection && hasSlot
      ? send(connection, connectionRequest, call, request)
      : this.#attemptLater(request, call, prepared, hasSlot, (freed) => send(freed, connectionRequest, call, request));
  }

  async #attemptLater<T>(
    request: KubeRequest,
    call: Call,
    prepared: PreparedAccess,
    hasSlot: boolean,
    send: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    if (!hasSlot) await this.#queue(request, call);
    const connection = prepared.pool.pick() ?? (await this.#connect(prepared, call));
    // It may have ended in the moment that its wait did: then nothing must reach the server.
    if (call.failure) throw call.failure;
    return send(connection);
  }

  /** Throws the error unless there is other access to try with. */
  async #refreshAccess(request: KubeRequest, call: Call, prepared: PreparedAccess, error: KubeError): Promise<void> {
    const next = await call.wait('credentials', this.#switch.refused(prepared));
    // A 401 may come from a server that does not have a new token yet; a CA mismatch is permanent.
    if (next === prepared && error.code === 'Tls') throw error;
    this.#options.metrics.retry({ verb: request.method, host: prepared.host, reason: 'credentials' });
  }

  /** Throws the error if it is final, or if the deadline leaves no time for another try. */
  async #awaitRetry(
    request: KubeRequest,
    call: Call,
    prepared: PreparedAccess,
    failed: AttemptError,
    retries: number,
  ): Promise<void> {
    const { retry: options, random, metrics, clock } = this.#options;
    const { error, maybeProcessed } = failed;
    const decision = decideRetry({ request, error, maybeProcessed, retries, options, random });
    if (!decision || decision.delayMs >= call.remainingMs) throw error;
    metrics.retry({ verb: request.method, host: prepared.host, reason: decision.reason });
    const stop = new AbortController();
    // Slept, not scheduled: with no connection left, nothing else may keep the process alive until the next try.
    const slept = clock.sleep(decision.delayMs, stop.signal).catch(() => undefined);
    try {
      await call.wait('the next try', slept);
    } finally {
      stop.abort();
    }
  }

  async #queue(request: KubeRequest, call: Call): Promise<void> {
    const turn = this.#limiter.enqueue(request.priority ?? 'normal');
    try {
      await call.wait('a free slot', turn.granted);
      call.holdsSlot = true;
    } catch (error) {
      turn.leave();
      throw error;
    }
  }

  #takeSlot(request: KubeRequest, call: Call): boolean {
    call.holdsSlot = this.#limiter.tryAcquire(request.priority ?? 'normal');
    return call.holdsSlot;
  }

  #freeSlot(call: Call): void {
    if (!call.holdsSlot) return;
    call.holdsSlot = false;
    this.#limiter.release();
  }

  async #connect(prepared: PreparedAccess, call: Call): Promise<Connection> {
    try {
      return await call.wait('a connection', prepared.pool.open());
    } catch (caught) {
      throw call.failure ?? new AttemptError(KubeError.from(caught), false);
    }
  }

  #connectionRequest(request: KubeRequest, prepared: PreparedAccess, isStream: boolean): ConnectionRequest {
    const gzip = !isStream && request.method === 'GET' && (this.#options.gzip ?? !prepared.isLoopback);
    return {
      method: request.method,
      path: prepared.prefix + request.path,
      headers: requestHeaders(request, prepared.headers, gzip),
      body: request.body,
    };
  }

  async #probe(prepared: PreparedAccess): Promise<void> {
    const call = this.#start(probeRequest);
    try {
      const connection = prepared.pool.pick() ?? (await this.#connect(prepared, call));
      const answer = await connection.exchange(this.#connectionRequest(probeRequest, prepared, false), call);
      if (answer.status === 401 || answer.status >= 500) throw refusal(probeRequest, answer);
    } finally {
      this.#finish(call);
    }
  }

  #prepareAccess(access: ClusterAccess, reuse: PreparedAccess | undefined): PreparedAccess {
    this.#warnings.check(access);
    const pool = reuse?.pool ?? new ConnectionPool(access, this.#options, (empty) => this.#pools.delete(empty));
    this.#pools.add(pool);
    return prepareAccess(access, pool, this.#options.userAgent);
  }

  #start(request: KubeRequest): Call {
    const { clock, deadlineMs } = this.#options;
    const call = new Call(request, request.deadlineMs ?? deadlineMs, clock, this.#budget);
    this.#calls.add(call);
    if (this.#closed) call.cancel('the client was closed');
    return call;
  }

  #finish(call: Call): void {
    this.#freeSlot(call);
    call.end();
    this.#calls.delete(call);
  }

  #measure(request: KubeRequest, prepared: PreparedAccess, code: string, started: number): void {
    const { metrics, clock } = this.#options;
    metrics.request({ verb: request.method, host: prepared.host, code }, (clock.monotonic() - started) / 1000);
  }
}
