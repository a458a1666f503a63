import { type ManagedClusterAddOn, ManagedClusterAddOnCondition } from '@flotilla/api-types';
import { type CachedResource, type Clock, isConditionTrue, joinKey } from '@flotilla/kube';
import { describeConditions } from './describe-conditions.ts';

/** Waits for the state of add-ons, by what changes and without asking again and again. */
export class AddonWatch {
  readonly #addons: CachedResource<ManagedClusterAddOn>;
  readonly #clock: Clock;

  constructor(addons: CachedResource<ManagedClusterAddOn>, clock: Clock) {
    this.#addons = addons;
    this.#clock = clock;
  }

  /** Resolves when an add-on is available on each cluster that has it. */
  whenAvailable(addon: string, timeoutMs: number): Promise<void> {
    const enabled = () => this.#addons.list().filter(({ metadata }) => metadata?.name === addon);
    return this.#when(
      () =>
        enabled().length > 0 &&
        enabled().every(({ status }) => isConditionTrue(status?.conditions, ManagedClusterAddOnCondition.Available)),
      timeoutMs,
      () =>
        `add-on ${addon} is not available after ${timeoutMs} ms:\n${enabled().map(describeConditions).join('\n') || 'it is enabled nowhere'}`,
    );
  }

  /** Resolves when some clusters do not have an add-on any more. */
  whenGone(addon: string, clusters: readonly string[], timeoutMs = 10_000): Promise<void> {
    const left = () => clusters.flatMap((cluster) => this.#addons.get(joinKey(cluster, addon)) ?? []);
    return this.#when(
      () => left().length === 0,
      timeoutMs,
      () => `add-on ${addon} is still there after ${timeoutMs} ms:\n${left().map(describeConditions).join('\n')}`,
    );
  }

  async #when(isSo: () => boolean, timeoutMs: number, describe: () => string): Promise<void> {
    await this.#addons.whenSynced();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const cancel = this.#clock.schedule(timeoutMs, () => reject(new Error(describe())));
    const subscription = this.#addons.changes.subscribe(() => {
      if (isSo()) resolve();
    });
    if (isSo()) resolve();
    try {
      await promise;
    } finally {
      cancel();
      subscription.unsubscribe();
    }
  }
}
