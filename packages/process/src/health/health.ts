import { type Clock, type Logger, realClock, silentLogger } from '@flotilla/kube';
import { formatDuration } from '@flotilla/kube/meta';

/** `/livez` and its old name `/healthz`: should this process be restarted? `/readyz`: may it be given work? */
export type HealthEndpoint = 'healthz' | 'livez' | 'readyz';

/** Something that must be well. */
export interface HealthCheck {
  /** In kebab-case, for example `informer-sync`: the path `/readyz/informer-sync`. */
  name: string;
  /**
   * `live`: a restart would fix it; seen by all endpoints. `ready`: time would fix it; seen by /readyz only.
   * A check that fails while the API server is away must be `ready`, or the outage restarts the whole fleet.
   */
  kind: 'live' | 'ready';
  /** Throws when unhealthy; the message is the reason. Runs at each probe, so it must be cheap. */
  check(signal: AbortSignal): unknown;
  /** Default: 5 s. */
  deadlineMs?: number;
}

/** The outcome of one check. */
export interface CheckResult {
  name: string;
  /** Why not, if it is not well. */
  reason?: string;
}

/** The outcome of one probe. */
export interface HealthReport {
  endpoint: HealthEndpoint;
  results: CheckResult[];
  /** Excluded names that are not checks. */
  unknownExcludes: string[];
}

/** What health needs from the process. */
export interface HealthOptions {
  clock?: Clock;
  log?: Logger;
}

const defaultDeadlineMs = 5000;

/** The checks of a process. */
export class Health {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #checks = new Map<string, HealthCheck>();
  /** Failing at the last probe, so that only changes are logged. */
  readonly #failing = new Map<string, string>();

  constructor({ clock = realClock, log = silentLogger }: HealthOptions = {}) {
    this.#clock = clock;
    this.#log = log;
    this.register({ name: 'ping', kind: 'live', check: () => {} });
  }

  /** Adds a check, replacing one of the same name; call the result to take it away. */
  register(check: HealthCheck): () => void {
    this.#checks.set(check.name, check);
    return () => {
      if (this.#checks.get(check.name) !== check) return;
      this.#checks.delete(check.name);
      this.#failing.delete(check.name);
    };
  }

  /** From now on /readyz fails, so that no new work comes while the process ends. */
  drain(): void {
    const check = () => {
      throw new Error('the process is shutting down');
    };
    this.register({ name: 'shutdown', kind: 'ready', check });
  }

  /** Runs the checks of an endpoint, all at once; with `only`, that one. Undefined if there is no such check. */
  async probe(
    endpoint: HealthEndpoint,
    { exclude = [], only }: { exclude?: readonly string[]; only?: string } = {},
  ): Promise<HealthReport | undefined> {
    const checks = [...this.#checks.values()].filter((check) => check.kind === 'live' || endpoint === 'readyz');
    const wanted = checks.filter(({ name }) => (only === undefined ? !exclude.includes(name) : name === only));
    if (only !== undefined && wanted.length === 0) return undefined;
    const unknownExcludes = exclude.filter((name) => !checks.some((check) => check.name === name));
    return { endpoint, results: await Promise.all(wanted.map((check) => this.#run(check))), unknownExcludes };
  }

  async #run(check: HealthCheck): Promise<CheckResult> {
    const reason = await this.#failure(check);
    const before = this.#failing.get(check.name);
    if (reason === undefined) {
      this.#failing.delete(check.name);
      if (before !== undefined) this.#log.info('health check recovered', { check: check.name });
      return { name: check.name };
    }
    this.#failing.set(check.name, reason);
    if (reason !== before) this.#log.warn('health check failed', { check: check.name, reason });
    return { name: check.name, reason };
  }

  async #failure({ check, deadlineMs = defaultDeadlineMs }: HealthCheck): Promise<string | undefined> {
    const late = new AbortController();
    const { promise: deadline, reject } = Promise.withResolvers<never>();
    const cancel = this.#clock.schedule(deadlineMs, () => {
      const reason = new Error(`no answer within ${formatDuration(deadlineMs)}`);
      late.abort(reason);
      reject(reason);
    });
    try {
      await Promise.race([(async () => check(late.signal))(), deadline]);
      return undefined;
    } catch (error) {
      return error instanceof Error && error.message !== '' ? error.message : String(error);
    } finally {
      cancel();
    }
  }
}
