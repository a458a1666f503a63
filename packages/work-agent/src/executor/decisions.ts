import type { Clock } from '@flotilla/kube';

/** How long a decision is valid if no change is observed: not all that decides about rights can be watched. */
const allowedMs = 10 * 60_000;
/** Shorter than the time after which a refused manifest is tried again. */
const deniedMs = 30_000;

interface Decision {
  readonly allowed: boolean;
  readonly until: number;
}

/** What was decided about one executor. */
export class Decisions {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #known = new Map<string, Decision>();
  readonly #pending = new Map<string, Promise<boolean>>();
  #epoch = 0;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** The known decision, or the answer to `ask`, which is called once for all callers at the same time. */
  decide(question: string, ask: () => Promise<boolean>): Promise<boolean> {
    const known = this.#knownOf(question);
    return known === undefined ? this.#askOnce(question, ask) : Promise.resolve(known);
  }

  /** The answer to `ask`, but for a refusal that is known: a permission may be void by what no watch observes. */
  confirm(question: string, ask: () => Promise<boolean>): Promise<boolean> {
    return this.#knownOf(question) === false ? Promise.resolve(false) : this.#askOnce(question, ask);
  }

  #knownOf(question: string): boolean | undefined {
    const known = this.#known.get(question);
    return known && known.until > this.#clock.monotonic() ? known.allowed : undefined;
  }

  #askOnce(question: string, ask: () => Promise<boolean>): Promise<boolean> {
    const pending = this.#pending.get(question) ?? this.#ask(question, ask);
    this.#pending.set(question, pending);
    return pending;
  }

  async #ask(question: string, ask: () => Promise<boolean>): Promise<boolean> {
    const epoch = this.#epoch;
    try {
      const allowed = await ask();
      const until = this.#clock.monotonic() + (allowed ? allowedMs : deniedMs);
      // If rights changed meanwhile, the answer may be about the earlier ones.
      if (epoch === this.#epoch) this.#known.set(question, { allowed, until });
      return allowed;
    } finally {
      if (epoch === this.#epoch) this.#pending.delete(question);
    }
  }

  /** Forgets all decisions, also those that are pending. */
  forget(): void {
    this.#epoch += 1;
    this.#known.clear();
    this.#pending.clear();
  }

  /** Forgets what is too old, so that manifests that are gone do not stay. */
  expire(): void {
    const now = this.#clock.monotonic();
    for (const [question, { until }] of this.#known) if (until <= now) this.#known.delete(question);
  }
}
