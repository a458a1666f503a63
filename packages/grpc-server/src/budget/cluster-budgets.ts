import type { Clock } from '@flotilla/kube';
import { type Caller, clusterOfCaller } from '../caller.ts';
import { clusterQuotas, clusterRates, maxParties, userQuotas, userRates } from '../limits.ts';
import { Budget, type ClusterBudget } from './cluster-budget.ts';

/** Who shares a budget: the agents of a cluster, or a user that is no agent, apart for each cluster that it acts for. */
export function partyOf(caller: Pick<Caller, 'user'>, clusterName: string): string {
  const own = clusterOfCaller(caller);
  return own === undefined ? `user ${caller.user} for cluster ${clusterName}` : `cluster ${own}`;
}

type Decisions = ClusterBudget['decisions'];
type UserBudget = Budget<keyof typeof userRates, keyof typeof userQuotas>;

/**
 * The budgets of all clusters. The agents of a cluster share one. A user that is no agent, such as the bootstrap user of a fleet, has one for
 * each cluster that it acts for, so that it can use up neither that of the cluster nor that of another cluster that joins with it.
 */
export class ClusterBudgets {
  readonly #clock: Clock;
  /** The least recently used first. */
  readonly #clusters = new Map<string, { readonly clusterName: string; readonly budget: ClusterBudget }>();
  readonly #users = new Map<string, UserBudget>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The budget for what a caller does for a cluster. Throws `TooManyRequests` for a user that acts for too many. */
  of(caller: Pick<Caller, 'user'>, clusterName: string): ClusterBudget {
    const own = clusterOfCaller(caller);
    const party = partyOf(caller, clusterName);
    const known = this.#clusters.get(party);
    if (!known && own === undefined) this.ofUser(caller).take('parties');
    const limits = { rates: clusterRates, quotas: clusterQuotas };
    const found = known ?? { clusterName: own ?? clusterName, budget: new Budget(party, this.#clock, limits) };
    remember(this.#clusters, party, found, ({ budget }) => budget.isInUse);
    return found.budget;
  }

  /** What is counted before it is known which cluster a call is about. */
  ofCaller(caller: Pick<Caller, 'user'>): ClusterBudget | UserBudget {
    const own = clusterOfCaller(caller);
    return own === undefined ? this.ofUser(caller) : this.of(caller, own);
  }

  /**
   * Where questions about the rights of a caller for a cluster are answered and counted. All of a user that is no agent count for it together,
   * and those about a cluster for which it has shown no right yet leave nothing but that, so that it gains nothing by inventing names.
   */
  decisionsOf(caller: Pick<Caller, 'user'>, clusterName: string): { decisions: Decisions; take: () => void } {
    const shared = this.ofCaller(caller);
    const isKnown = this.#clusters.has(partyOf(caller, clusterName));
    const take = () => {
      const isAgent = clusterOfCaller(caller) !== undefined;
      if (!isAgent && isKnown) this.of(caller, clusterName).take('decisions');
      if (!isAgent && !isKnown) this.ofUser(caller).take('unknownClusters');
      // Last, so that one cluster alone does not use up what others that join with the same user need.
      shared.take('decisions');
    };
    return { decisions: (isKnown ? this.of(caller, clusterName) : shared).decisions, take };
  }

  /** The answers that may be about a cluster. */
  *decisionsAbout(clusterName: string): Generator<Decisions> {
    for (const each of this.#clusters.values()) if (each.clusterName === clusterName) yield each.budget.decisions;
    for (const { decisions } of this.#users.values()) yield decisions;
  }

  private ofUser({ user }: Pick<Caller, 'user'>): UserBudget {
    const limits = { rates: userRates, quotas: userQuotas };
    const found = this.#users.get(user) ?? new Budget(`user ${user}`, this.#clock, limits);
    remember(this.#users, user, found, (budget) => budget.isInUse);
    return found;
  }
}

/** Keeps an entry as the most recently used one, and forgets the oldest that are not in use. */
function remember<T>(entries: Map<string, T>, key: string, value: T, isInUse: (value: T) => boolean): void {
  entries.delete(key);
  entries.set(key, value);
  for (const [oldest, each] of entries) {
    if (entries.size <= maxParties) return;
    if (!isInUse(each)) entries.delete(oldest);
  }
}
