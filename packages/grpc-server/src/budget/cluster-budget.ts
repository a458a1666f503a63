import { type Clock, KubeError } from '@flotilla/kube';
import { ExpiringCache } from '../expiring-cache.ts';
import { type clusterQuotas, type clusterRates, maxDecisions, type Quota, type Rate } from '../limits.ts';
import { Allowance } from './allowance.ts';
import { Turns } from './turns.ts';

/** What a party may do and have. */
export interface BudgetLimits<R extends string, Q extends string> {
  readonly rates: Readonly<Record<R, Rate>>;
  readonly quotas: Readonly<Record<Q, Quota>>;
}

/** A denial is asked about again soon: the usual one is a cluster that is accepted a moment later. */
const allowedTtlMs = 10_000;
const deniedTtlMs = 1_000;

/**
 * All that one party, such as a cluster, uses of the server. What it uses up is refused to it with the name of the limit; no other party
 * notices.
 */
export class Budget<R extends string, Q extends string> {
  readonly party: string;
  /** What the API server said about the rights of the party. */
  readonly decisions: ExpiringCache<boolean>;
  readonly #clock: Clock;
  readonly #limits: BudgetLimits<R, Q>;
  readonly #allowances = new Map<R, Allowance>();
  readonly #held = new Map<Q, number>();
  readonly #turns = new Map<Q, Turns>();
  #holds = 0;

  constructor(party: string, clock: Clock, limits: BudgetLimits<R, Q>) {
    this.party = party;
    this.#clock = clock;
    this.#limits = limits;
    const ttlMs = (allowed: boolean) => (allowed ? allowedTtlMs : deniedTtlMs);
    this.decisions = new ExpiringCache(clock, ttlMs, maxDecisions);
  }

  /** Throws `TooManyRequests` if the party has to wait. */
  take(name: R, amount = 1): void {
    const rate = this.#limits.rates[name];
    const allowance = this.#allowances.get(name) ?? new Allowance(rate, this.#clock.monotonic());
    this.#allowances.set(name, allowance);
    if (allowance.take(amount, this.#clock.monotonic())) return;
    throw this.#usedUp(name, `${rate.perSecond} a second of the ${rate.what}, after ${rate.burst} at once`);
  }

  /** Counts until the result is called. Throws `TooManyRequests` if the party has too much. */
  hold(name: Q, amount = 1): () => void {
    this.require(name, (this.#held.get(name) ?? 0) + amount);
    this.#held.set(name, (this.#held.get(name) ?? 0) + amount);
    this.#holds += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds -= 1;
      this.#held.set(name, (this.#held.get(name) ?? 0) - amount);
    };
  }

  /** Waits until fewer than the limit are under way; senders take turns. Call the result when this one has ended. */
  turn(name: Q, sender: string): Promise<() => void> {
    const turns = this.#turns.get(name) ?? new Turns(this.max(name));
    this.#turns.set(name, turns);
    return turns.take(sender);
  }

  /** Throws `TooManyRequests` if that much, which is counted elsewhere, is too much. */
  require(name: Q, amount: number): void {
    const { max, what } = this.#limits.quotas[name];
    if (amount > max) throw this.#usedUp(name, `${max} ${what}`);
  }

  max(name: Q): number {
    return this.#limits.quotas[name].max;
  }

  /** Whether it has something under way. */
  get isInUse(): boolean {
    return this.#holds > 0;
  }

  #usedUp(name: R | Q, limit: string): KubeError {
    const message = `${this.party} has used up its limit ${JSON.stringify(name)}: ${limit}`;
    return new KubeError('TooManyRequests', message, { status: 429, hint: 'Wait, and send less at once.' });
  }
}

/** The budget of one cluster. */
export type ClusterBudget = Budget<keyof typeof clusterRates, keyof typeof clusterQuotas>;
