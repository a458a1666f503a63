import { X509Certificate } from 'node:crypto';
import { Subject, type Subscription } from 'rxjs';
import type { Clock } from '../clock/clock.ts';
import { Expiry } from '../clock/expiry.ts';
import type { EpochMs } from '../clock/time.ts';
import type { AccessSource, ClusterAccess } from '../credentials/access.ts';
import { KubeError } from '../errors/kube-error.ts';
import type { Logger } from '../log/logger.ts';
import type { KitMetrics } from '../metrics/kit-metrics.ts';
import { isSameConnection, isSameIdentity } from './access-equality.ts';
import type { PreparedAccess } from './prepared-access.ts';

/** Requests wait this long for a new access to prove itself before they go on with the old one. */
const probeTimeoutMs = 2_000;
/** A new access that did not work is tried again after this, doubling. */
const firstRetryMs = 5_000;
const lastRetryMs = 30_000;
/** The source is not asked more often than this about credentials that the server refuses or that have expired. */
const minRefreshMs = 5_000;

interface AccessSwitchOptions {
  source: AccessSource;
  clock: Clock;
  log: Logger;
  metrics: KitMetrics;
  /** Makes an access ready for use. `reuse`: only the identity differs, so its connections go on. */
  prepareAccess: (access: ClusterAccess, reuse: PreparedAccess | undefined) => PreparedAccess;
  /** Resolves when the server accepts the credentials; rejects otherwise. */
  probe: (prepared: PreparedAccess) => Promise<void>;
}

/**
 * Holds the access in use and changes over to a new one without losing a request: the new one is tried first, and only
 * once the server accepted it does it replace the old one, whose requests under way end on their own connection.
 */
export class AccessSwitch {
  readonly accessChanged = new Subject<void>();
  readonly #options: AccessSwitchOptions;
  readonly #subscription: Subscription;
  readonly #expiry: Expiry;
  /** The time with which `#expiry` began. */
  #expiresAt: EpochMs | undefined;
  #prepared: PreparedAccess | undefined;
  /** Counts announced changes; `#handled` is the one that was decided about, or given up waiting for. */
  #announced = 0;
  #handled = 0;
  #refreshing: Promise<PreparedAccess> | undefined;
  #refreshedAt = Number.NEGATIVE_INFINITY;
  #invalidatedAt = Number.NEGATIVE_INFINITY;
  #stopRetry: (() => void) | undefined;
  #retryMs = firstRetryMs;
  /** What metrics were reported about, to be forgotten. */
  readonly #hosts = new Set<string>();
  #certificateOrigin: string | undefined;
  #closed = false;

  constructor(options: AccessSwitchOptions) {
    this.#options = options;
    this.#expiry = new Expiry(options.clock);
    this.#subscription = options.source.changes.subscribe(() => {
      this.#announced++;
      // At once and not at the next request, so that watches are opened again too.
      if (this.#prepared) this.#refresh().catch(() => undefined);
    });
    this.#subscription.add(
      options.source.errors.subscribe((error) =>
        options.log.warn('the access cannot be read, the last good one stays in use', { error: error.message }),
      ),
    );
  }

  /** The prepared access in use, or undefined if the caller must wait for `prepared()`. */
  get ready(): PreparedAccess | undefined {
    const prepared = this.#prepared;
    return prepared !== undefined && this.#handled === this.#announced && !this.#isExpired() ? prepared : undefined;
  }

  /** The prepared access for the next request. Fails only if there never was an access. */
  async prepared(): Promise<PreparedAccess> {
    const refreshed = this.#refresh();
    const old = this.#prepared;
    if (!old) return refreshed;
    const oldAccess = Promise.withResolvers<PreparedAccess>();
    const stop = this.#options.clock.schedule(probeTimeoutMs, () => {
      this.#handled = this.#announced;
      oldAccess.resolve(old);
    });
    try {
      return await Promise.race([refreshed, oldAccess.promise]);
    } catch (error) {
      this.#options.log.warn('the access cannot be read, the last good one stays in use', { error: messageOf(error) });
      return this.#prepared ?? old;
    } finally {
      stop();
    }
  }

  /** After the server refused the credentials or the TLS of a prepared access: reads them again and waits for the outcome. */
  async refused(prepared: PreparedAccess): Promise<PreparedAccess> {
    if (this.#prepared !== prepared && this.#prepared) return this.#prepared;
    const now = this.#options.clock.monotonic();
    if (now - this.#invalidatedAt >= minRefreshMs) {
      this.#invalidatedAt = now;
      this.#options.source.invalidate();
      this.#announced++;
      return this.#refresh();
    }
    return this.#refreshing ?? prepared;
  }

  close(): void {
    this.#closed = true;
    this.#subscription.unsubscribe();
    this.#stopRetry?.();
    this.accessChanged.complete();
    this.#reportCertificate(undefined);
    for (const host of this.#hosts) this.#options.metrics.forget({ host });
  }

  /** An expired one is still used until the source may be asked again, which may have nothing newer. */
  #isExpired(): boolean {
    return this.#expiry.hasEnded && this.#options.clock.monotonic() - this.#refreshedAt >= minRefreshMs;
  }

  #refresh(): Promise<PreparedAccess> {
    this.#refreshing ??= this.#load().finally(() => {
      this.#refreshing = undefined;
      this.#refreshedAt = this.#options.clock.monotonic();
    });
    return this.#refreshing;
  }

  async #load(): Promise<PreparedAccess> {
    for (;;) {
      const announced = this.#announced;
      try {
        const access = await this.#options.source.current();
        this.#throwIfClosed();
        const prepared = this.#prepared
          ? await this.#changeOver(this.#prepared, access)
          : this.#adopt(this.#options.prepareAccess(access, undefined));
        // Changed once more while the server was asked: the newest counts.
        if (this.#announced === announced) return prepared;
      } catch (error) {
        throw KubeError.from(error);
      } finally {
        this.#handled = Math.max(this.#handled, announced);
      }
    }
  }

  async #changeOver(old: PreparedAccess, access: ClusterAccess): Promise<PreparedAccess> {
    const sameConnection = isSameConnection(old.access, access);
    if (sameConnection && isSameIdentity(old.access, access)) {
      old.access = access;
      this.#beginExpiry(access);
      this.#reportCertificate(access);
      return old;
    }
    const { log, prepareAccess, probe } = this.#options;
    let next: PreparedAccess | undefined;
    try {
      next = prepareAccess(access, sameConnection ? old : undefined);
      await probe(next);
    } catch (error) {
      if (!sameConnection) next?.pool.retire();
      this.#throwIfClosed();
      log.warn('the server does not accept the new access, the old one stays in use', {
        origin: access.origin,
        error: messageOf(error),
        retryMs: this.#retryMs,
      });
      this.#tryAgainLater();
      return old;
    }
    this.#throwIfClosed();
    this.#adopt(next);
    if (!sameConnection) old.pool.retire();
    // Also for a new token on the same connection: the old one may lose its permissions soon.
    this.accessChanged.next();
    return next;
  }

  #adopt(prepared: PreparedAccess): PreparedAccess {
    this.#prepared = prepared;
    this.#stopRetry?.();
    this.#retryMs = firstRetryMs;
    const { access, host } = prepared;
    this.#hosts.add(host);
    this.#beginExpiry(access);
    this.#reportCertificate(access);
    this.#options.log.debug('access in use', { origin: access.origin, server: access.server });
    return prepared;
  }

  /** Credentials that are read once more have no more time left: the wall clock may have been set back meanwhile. */
  #beginExpiry({ expiresAt }: ClusterAccess): void {
    if (expiresAt === this.#expiresAt) return;
    this.#expiresAt = expiresAt;
    this.#expiry.begin(expiresAt);
  }

  /** One that is no longer in use must not raise an alarm when it expires. */
  #reportCertificate(access: ClusterAccess | undefined): void {
    const { metrics } = this.#options;
    const origin = access?.clientCertificate && access.origin;
    const before = this.#certificateOrigin;
    if (before !== undefined && before !== origin) metrics.forget({ origin: before });
    this.#certificateOrigin = origin;
    if (!access?.clientCertificate) return;
    const { validToDate } = new X509Certificate(access.clientCertificate.certificate);
    metrics.certificateExpiry({ origin: access.origin }, validToDate.getTime() / 1000);
  }

  /** What is still being read or probed must neither be taken into use nor tried again. */
  #throwIfClosed(): void {
    if (this.#closed) throw new KubeError('Canceled', 'the client was closed');
  }

  #tryAgainLater(): void {
    this.#stopRetry?.();
    this.#stopRetry = this.#options.clock.schedule(this.#retryMs, () => {
      this.#refresh().catch(() => undefined);
    });
    this.#retryMs = Math.min(this.#retryMs * 2, lastRetryMs);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
