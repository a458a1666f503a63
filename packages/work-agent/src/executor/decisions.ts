import type { Clock } from '@flotilla/kube';
import type { ExecutorTarget } from './access-review.ts';

/** How long a decision is believed without any change being seen: not everything that decides about rights can be watched. */
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
  readonly #asked = new Map<string, Promise<boolean>>();
  #epoch = 0;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** What is known, or the answer to `ask`, which is asked once for all who want to know at the same time. */
  decide(target: ExecutorTarget, ask: () => Promise<boolean>): Promise<boolean> {
    const dimension = dimensionOf(target);
    const known = this.#known.get(dimension);
    if (known && known.until > this.#clock.monotonic()) return Promise.resolve(known.allowed);
    const asked = this.#asked.get(dimension) ?? this.#ask(dimension, ask);
    this.#asked.set(dimension, asked);
    return asked;
  }

  async #ask(dimension: string, ask: () => Promise<boolean>): Promise<boolean> {
    const epoch = this.#epoch;
    try {
      const allowed = await ask();
      const until = this.#clock.monotonic() + (allowed ? allowedMs : deniedMs);
      // Rights that changed meanwhile may have been judged as they were.
      if (epoch === this.#epoch) this.#known.set(dimension, { allowed, until });
      return allowed;
    } finally {
      if (epoch === this.#epoch) this.#asked.delete(dimension);
    }
  }

  /** Forgets everything, also what is being asked. */
  forget(): void {
    this.#epoch += 1;
    this.#known.clear();
    this.#asked.clear();
  }

  /** Forgets what is too old, so that manifests that are gone do not stay. */
  expire(): void {
    const now = this.#clock.monotonic();
    for (const [dimension, { until }] of this.#known) if (until <= now) this.#known.delete(dimension);
  }
}

const dimensionOf = ({ group, version, resource, namespace, name, owned }: ExecutorTarget): string =>
  JSON.stringify([group, version, resource, namespace, name, owned ? 'ApplyAndDelete' : 'ApplyNoDelete']);
