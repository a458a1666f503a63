import type { Clock } from '@flotilla/kube';
import { TimestampAges } from '@flotilla/kube/clock';

/** For so long a kind counts as new; the server's clock may be a little off. */
const newMs = 5_000;

/** The kinds that are served since a moment ago. */
export class RecentKinds {
  readonly #establishedAt = new Map<string, number>();
  readonly #ages: TimestampAges;

  constructor(clock: Clock) {
    this.#ages = new TimestampAges(clock);
  }

  /** Records when a kind was established, in milliseconds since the epoch; undefined if that is not known. */
  observe(name: string, since: number | undefined): void {
    if (since !== undefined && this.#ages.of(name, since) < newMs) this.#establishedAt.set(name, since);
    else this.#ages.forget(name);
  }

  has(name: string): boolean {
    const since = this.#establishedAt.get(name);
    if (since === undefined || this.#ages.of(name, since) < newMs) return since !== undefined;
    this.#establishedAt.delete(name);
    this.#ages.forget(name);
    return false;
  }
}
