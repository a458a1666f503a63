import { Label } from '@flotilla/api-types';
import {
  type Clock,
  createInformers,
  isAbsence,
  type KubeClient,
  KubeError,
  keyOf,
  type Logger,
  splitKey,
} from '@flotilla/kube';
import { type MonotonicTime, msBetween } from '@flotilla/kube/clock';
import { type Lease, leases } from '@flotilla/kube/kinds';
import { formatMicroTime } from '@flotilla/kube/meta';
import { BehaviorSubject, type Observable } from 'rxjs';
import {
  countsItselfOutAfterMs,
  defaultReplicaTimes,
  liveReplicas,
  nextExpiryMs,
  type ObservedReplica,
  observeReplica,
  type ReplicaTimes,
} from './replicas.policy.ts';

/** Label of the leases of replicas. */
export const replicaLabel = Label.PushAgents;

/** A lease of a replica that ended without deleting it is deleted after so many times its life. */
const deleteAfter = 10;

/** How the replicas of push-agents find one another. */
export interface ReplicasOptions {
  readonly client: KubeClient;
  /** Where the leases of the replicas are. */
  readonly namespace: string;
  /** Of this process: unique, and a name for a Lease. */
  readonly identity: string;
  readonly times?: ReplicaTimes;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The replicas that share the clusters, as this one sees them. */
export interface Replicas {
  /** Names of live replicas. Empty while this one cannot renew its lease: others have taken its clusters over. */
  readonly live$: Observable<readonly string[]>;
  /** Keeps the lease of this replica, and deletes it in the end. Resolves when the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** One process for all clusters. */
export const aloneAs = (identity: string): Replicas => ({
  live$: new BehaviorSubject([identity]),
  run: (signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    }),
});

/** Joins the replicas of a namespace. */
export function joinReplicas(options: ReplicasOptions): Replicas {
  const live$ = new BehaviorSubject<readonly string[]>([]);
  return { live$, run: (signal) => new Membership(options, live$).run(signal) };
}

class Membership {
  readonly #options: Required<ReplicasOptions>;
  readonly #live: BehaviorSubject<readonly string[]>;
  readonly #observed = new Map<string, ObservedReplica>();
  readonly #key: string;
  /** When the hub last took a renewal. */
  #renewedAt: MonotonicTime | undefined;
  #own: Lease | undefined;
  #cancelExpiry = () => {};

  constructor(options: ReplicasOptions, live$: BehaviorSubject<readonly string[]>) {
    this.#options = { times: defaultReplicaTimes, ...options };
    this.#live = live$;
    this.#key = `${options.namespace}/push-agents-${options.identity}`;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { client, namespace, clock, log, times } = this.#options;
    using informers = createInformers({ client, clock, log });
    const cache = informers.resource(leases, { namespace, labelSelector: replicaLabel });
    const subscription = cache.changes.subscribe((change) => {
      if (change.type === 'deleted') this.#observed.delete(change.key);
      else
        this.#observed.set(
          change.key,
          observeReplica(this.#observed.get(change.key), change.object, clock.monotonic()),
        );
      this.#publish();
    });
    try {
      await cache.whenSynced({ signal, timeoutMs: Number.POSITIVE_INFINITY });
      while (!signal.aborted) {
        await this.#renew(signal);
        this.#publish();
        await this.#deleteDead(signal);
        await clock.sleep(times.renewMs, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      subscription.unsubscribe();
      this.#cancelExpiry();
      this.#live.next([]);
      await this.#leave();
    }
  }

  /**
   * Says who is live, and again when that changes by time alone: a request that hangs must not keep this replica from counting itself out
   * before the others count it out.
   */
  #publish(): void {
    const { identity, clock, log, times } = this.#options;
    const now = clock.monotonic();
    const renewedAt = this.#renewedAt;
    const isMember = renewedAt !== undefined && msBetween(renewedAt, now) < countsItselfOutAfterMs(times);
    const observed = [...this.#observed.values()];
    const others = liveReplicas(observed, now, times).filter((name) => name !== identity);
    this.#cancelExpiry();
    const expiryMs = nextExpiryMs(observed, renewedAt, now, times);
    if (expiryMs !== undefined) this.#cancelExpiry = clock.schedule(expiryMs, () => this.#publish());
    const next = isMember ? [...others, identity].sort() : [];
    if (next.join() === this.#live.value.join()) return;
    log.info('the replicas have changed', { replicas: next });
    this.#live.next(next);
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { client, identity, clock, log, times } = this.#options;
    const handle = client.resource(leases);
    const call = { signal, priority: 'critical', deadlineMs: times.expireMs / 3 } as const;
    const spec = {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(times.expireMs / 1000),
      renewTime: formatMicroTime(clock.now()),
    };
    const since = clock.monotonic();
    try {
      const current = this.#own ?? (await handle.find(this.#key, call));
      this.#own = undefined;
      this.#own = current
        ? await handle.replace({ ...current, spec }, call)
        : await handle.create({ metadata: { ...splitKey(this.#key), labels: { [replicaLabel]: 'true' } }, spec }, call);
      this.#renewedAt = since;
    } catch (error) {
      if (signal.aborted) return;
      if (KubeError.is(error, 'Config')) throw error;
      log.warn('cannot renew the lease of this replica', { error });
    }
  }

  /** Deletes the leases of replicas that were killed: each start has another identity. */
  async #deleteDead(signal: AbortSignal): Promise<void> {
    const { client, clock, times } = this.#options;
    const now = clock.monotonic();
    for (const [key, { seenAt, version: resourceVersion }] of this.#observed) {
      if (key === this.#key || msBetween(seenAt, now) < deleteAfter * times.expireMs) continue;
      this.#observed.delete(key);
      await client
        .resource(leases)
        .delete(key, { preconditions: { resourceVersion }, signal })
        .catch(() => undefined);
    }
  }

  /** The others take over at once, and not when the lease expires. */
  async #leave(): Promise<void> {
    const { client, log } = this.#options;
    const own = this.#own;
    if (!own) return;
    await client
      .resource(leases)
      .delete(keyOf(own), { deadlineMs: 3000 })
      .catch((error: unknown) => {
        if (!isAbsence(error)) log.warn('cannot delete the lease of this replica', { error });
      });
  }
}
