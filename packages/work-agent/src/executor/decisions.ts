import type { Clock } from '@flotilla/kube';
import type { ExecutorAction, ExecutorTarget } from './access-review.ts';

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
  decide(action: ExecutorAction, target: ExecutorTarget, ask: () => Promise<boolean>): Promise<boolean> {
    const dimension = dimensionOf(action, target);
    const known = this.#known.get(dimension);
    if (known && known.until > this.#clock.monotonic()) return Promise.resolve(known.allowed);
    const pending = this.#pending.get(dimension) ?? this.#ask(dimension, ask);
    this.#pending.set(dimension, pending);
    return pending;
  }

  async #ask(dimension: string, ask: () => Promise<boolean>): Promise<boolean> {
    const epoch = this.#epoch;
    try {
      const allowed = await ask();
      const until = this.#clock.monotonic() + (allowed ? allowedMs : deniedMs);
      // If rights changed meanwhile, the answer may be about the earlier ones.
      if (epoch === this.#epoch) this.#known.set(dimension, { allowed, until });
      return allowed;
    } finally {
      if (epoch === this.#epoch) this.#pending.delete(dimension);
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
    for (const [dimension, { until }] of this.#known) if (until <= now) this.#known.delete(dimension);
  }
}

const dimensionOf = (action: ExecutorAction, { group, version, resource, namespace, name }: ExecutorTarget): string =>
  JSON.stringify([group, version, resource, namespace, name, action]);
