import { type Observable, Subject } from 'rxjs';
import type { Clock } from '../clock/clock.ts';
import { Expiry } from '../clock/expiry.ts';
import { KubeError } from '../errors/kube-error.ts';
import type { AccessSource, ClusterAccess } from './access.ts';

interface LastGoodOptions {
  /** Reads all files again. */
  load: () => Promise<ClusterAccess>;
  clock: Clock;
  /** Called by `invalidate`, before the next load. */
  onInvalidate?: () => void;
  onClose?: () => void;
}

/** Keeps the newest access that could be read; a failed read is reported and does not stop it. */
export class LastGoodAccess implements AccessSource {
  readonly #changes = new Subject<void>();
  readonly #errors = new Subject<Error>();
  readonly changes: Observable<void> = this.#changes.asObservable();
  readonly errors: Observable<Error> = this.#errors.asObservable();
  readonly #options: LastGoodOptions;
  readonly #expiry: Expiry;
  #good: ClusterAccess | undefined;
  #stale = true;
  #loading: Promise<ClusterAccess> | undefined;

  constructor(options: LastGoodOptions) {
    this.#options = options;
    this.#expiry = new Expiry(options.clock);
  }

  async current(): Promise<ClusterAccess> {
    const good = this.#good;
    if (good && !this.#stale && !this.#expiry.hasEnded) return good;
    return this.#load();
  }

  /** Reads again because something changed. */
  async reload(): Promise<void> {
    this.#stale = true;
    const before = this.#good;
    // Throws only if there never was a good one: then the next `current` throws it, and here it is reported.
    const after = await this.#load().catch((error: Error) => {
      this.#errors.next(error);
      return undefined;
    });
    if (after && !before) this.#changes.next();
  }

  invalidate(): void {
    this.#stale = true;
    this.#options.onInvalidate?.();
  }

  close(): void {
    this.#options.onClose?.();
    this.#changes.complete();
    this.#errors.complete();
  }

  #load(): Promise<ClusterAccess> {
    this.#loading ??= this.#loadUntilFresh().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** What changed while it was being read is read again. */
  async #loadUntilFresh(): Promise<ClusterAccess> {
    for (;;) {
      this.#stale = false;
      const outcome = await this.#options.load().catch((caught: unknown) => KubeError.from(caught));
      if (this.#stale) continue;
      if (!(outcome instanceof KubeError)) {
        const before = this.#good;
        this.#expiry.begin(outcome.expiresAt);
        if (before && isSame(before, outcome)) return before;
        this.#good = outcome;
        // Whoever caused it to be read: other clients of this source have to be notified too.
        if (before) this.#changes.next();
        return outcome;
      }
      if (!this.#good) throw outcome;
      this.#errors.next(outcome);
      return this.#good;
    }
  }
}

const isSame = (a: ClusterAccess | undefined, b: ClusterAccess): boolean => JSON.stringify(a) === JSON.stringify(b);
