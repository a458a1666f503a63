import { ManagedClusterCondition, ManagedClusterReason } from '@flotilla/api-types';
import { type Clock, type ConditionInput, type KubeClient, KubeError } from '@flotilla/kube';
import { type MonotonicTime, msBetween } from '@flotilla/kube/clock';

const type = ManagedClusterCondition.Available;
const reasons = ManagedClusterReason.Available;
/** A restart of the API server is shorter than this. */
const toleratedMs = 20_000;
const retryMs = 5000;

/** What the API server of the cluster answers. `condition` is absent while a failure may still pass. */
export type Availability =
  | { readonly healthy: true; readonly condition: ConditionInput }
  | { readonly healthy: false; readonly condition?: ConditionInput; readonly retryMs: number };

/** Checks the cluster's own API server, and reports it unavailable only when it has failed for a while, however often it is checked. */
export class AvailabilityProbe {
  readonly #spoke: KubeClient;
  readonly #clock: Clock;
  #failingSince: MonotonicTime | undefined;

  constructor(spoke: KubeClient, clock: Clock) {
    this.#spoke = spoke;
    this.#clock = clock;
  }

  async check(signal: AbortSignal): Promise<Availability> {
    const failure = await this.#failure(signal);
    if (failure === undefined) {
      this.#failingSince = undefined;
      const message = 'Managed cluster is available';
      return { healthy: true, condition: { type, status: 'True', reason: reasons.ManagedClusterAvailable, message } };
    }
    const now = this.#clock.monotonic();
    this.#failingSince ??= now;
    if (msBetween(this.#failingSince, now) < toleratedMs) return { healthy: false, retryMs };
    const reason = reasons.ManagedClusterKubeAPIServerUnavailable;
    return { healthy: false, condition: { type, status: 'False', reason, message: failure }, retryMs };
  }

  async #failure(signal: AbortSignal): Promise<string | undefined> {
    for (const path of ['/livez', '/healthz']) {
      try {
        await this.#spoke.transport.request({ method: 'GET', path, signal, deadlineMs: 10_000 });
        return undefined;
      } catch (caught) {
        const error = KubeError.from(caught);
        // Old servers have no /livez, and some hide it.
        if (path === '/livez' && KubeError.is(error, 'NotFound', 'Forbidden')) continue;
        return `The kube-apiserver is not ok, status code: ${error.status ?? 0}, ${error.message}`;
      }
    }
    return undefined;
  }
}
