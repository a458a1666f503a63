import { ManagedClusterCondition, ManagedClusterReason } from '@flotilla/api-types';
import { type Clock, KubeError } from '@flotilla/kube';
import type { MonotonicTime } from '@flotilla/kube/clock';
import type { Transport } from '@flotilla/kube/transport';
import { type Availability, type ClusterHealth, WakeSignal } from '@flotilla/registration-core/agent';
import { firstValueFrom, type Observable, ReplaySubject, Subject } from 'rxjs';
import { type Damping, type DampingTimes, damp, isHeldBack } from './health.policy.ts';

/** How often members are checked. A loss is reported within `periodMs + 2 × deadlineMs + recheckMs`, here 12 s. */
export interface HealthTimes extends DampingTimes {
  readonly periodMs: number;
  /** Of one check. */
  readonly deadlineMs: number;
  /** While a change is held back. */
  readonly recheckMs: number;
}

/** The times of a hub that sets none. */
export const defaultHealthTimes: HealthTimes = {
  periodMs: 5000,
  deadlineMs: 3000,
  recheckMs: 1000,
  failureMs: 6000,
  successMs: 6000,
};

/** Losses come by the dozen, one for each watch. */
const leastPauseMs = 250;

/** What the health of a member is observed with. */
export interface MemberHealthOptions {
  readonly transport: Pick<Transport, 'request'>;
  /** Emits when a connection to the member breaks: it is checked at once. */
  readonly losses: Observable<void>;
  /** Why the member refuses the credential, if other requests were refused: some servers answer /readyz to anyone. */
  readonly refusal?: () => KubeError | undefined;
  readonly times: HealthTimes;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Checks `/readyz` of a member periodically and when a watch breaks, and damps what it finds. */
export class MemberHealth implements ClusterHealth {
  readonly #options: MemberHealthOptions;
  readonly #changes = new Subject<void>();
  readonly #known = new ReplaySubject<Availability>(1);
  readonly changes = this.#changes.asObservable();
  #damping: Damping = {};
  #failure = '';

  constructor(options: MemberHealthOptions) {
    this.#options = options;
  }

  /** Waits for the first observation. */
  check(): Promise<Availability> {
    return firstValueFrom(this.#known);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, losses, times, random } = this.#options;
    const wakeSignal = new WakeSignal(clock);
    const subscription = losses.subscribe(wakeSignal.wake);
    try {
      while (!signal.aborted) {
        const at = clock.monotonic();
        const failure = await this.#probe(signal);
        if (signal.aborted) return;
        this.#observe(failure, at);
        await clock.sleep(leastPauseMs, signal).catch(() => undefined);
        const waitMs = isHeldBack(this.#damping) ? times.recheckMs : times.periodMs * (0.9 + 0.1 * random());
        await wakeSignal.wait(waitMs - leastPauseMs, signal);
      }
    } finally {
      subscription.unsubscribe();
    }
  }

  #observe(failure: string | undefined, at: MonotonicTime): void {
    const { clock, times } = this.#options;
    const before = this.#damping;
    const next = damp(before, failure === undefined, at, clock.monotonic(), times);
    const saidBefore = this.#failure;
    if (failure !== undefined) this.#failure = failure;
    this.#damping = next;
    this.#known.next(this.#availability(failure === undefined));
    const isNewReason = next.reported === false && before.reported === false && this.#failure !== saidBefore;
    if (next.reported !== before.reported || isNewReason) this.#changes.next();
  }

  #availability(isHealthy: boolean): Availability {
    const type = ManagedClusterCondition.Available;
    const reasons = ManagedClusterReason.Available;
    const { periodMs: retryMs } = this.#options.times;
    if (this.#damping.reported === false) {
      const reason = reasons.ManagedClusterKubeAPIServerUnavailable;
      return { healthy: false, condition: { type, status: 'False', reason, message: this.#failure }, retryMs };
    }
    // A failure that may pass says nothing, and is no reason to ask for more.
    if (!isHealthy) return { healthy: false, retryMs };
    const message = 'Managed cluster is available';
    return { healthy: true, condition: { type, status: 'True', reason: reasons.ManagedClusterAvailable, message } };
  }

  /** Why the member is not ready; undefined if it is. */
  async #probe(signal: AbortSignal): Promise<string | undefined> {
    const { transport, times } = this.#options;
    for (const path of ['/readyz', '/healthz']) {
      try {
        await transport.request({ method: 'GET', path, signal, deadlineMs: times.deadlineMs, priority: 'critical' });
        const refusal = this.#options.refusal?.();
        return refusal && failureOf(refusal);
      } catch (caught) {
        const error = KubeError.from(caught);
        // Old servers have no /readyz.
        if (path === '/readyz' && KubeError.is(error, 'NotFound')) continue;
        return failureOf(error);
      }
    }
    return undefined;
  }
}

function failureOf(error: KubeError): string {
  if (error.code === 'Unauthorized') {
    return `The kube-apiserver refuses the credential of the hub (401). Renew it: flotilla join NAME --push --cluster-kubeconfig FILE. ${error.message}`;
  }
  return `The kube-apiserver is not ok, status code: ${error.status ?? 0}, ${error.message}`;
}
