import type { Clock, Logger } from '@flotilla/kube';
import { msBetween } from '@flotilla/kube/clock';
import type { ConnectionState } from '../../contract/index.ts';

/** What tries the other address of a hub. */
export interface AddressFallbackOptions {
  /** Where the bootstrap source leads. */
  readonly server: string;
  /** The address in use at first. Default: that one. */
  readonly inUse?: string;
  /** What the hub announced; undefined if nothing else. */
  readonly announced: () => string | undefined;
  /** Whether the hub can be reached at the address in use. */
  readonly check: () => Promise<ConnectionState>;
  /** Goes on with another address. */
  readonly use: (server: string) => void;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Changes over between two addresses of one hub. */
export interface AddressFallback {
  /** The address in use. */
  server(): string;
  /** A request could not be delivered; checks whether that lasts. */
  unreachable(): void;
}

const checkEveryMs = 5000;
/** Shorter interruptions do not change the address. */
const gracePeriodMs = 30_000;

/** Watches one connection; costs nothing while requests arrive. */
export function addressFallback(options: AddressFallbackOptions): AddressFallback {
  const { server, announced, check, use, clock, log, signal } = options;
  let current = options.inUse ?? server;
  let isChecking = false;

  const checkUntilReachable = async (): Promise<void> => {
    let since = clock.monotonic();
    while (!signal.aborted) {
      await clock.sleep(checkEveryMs, signal);
      const state = await check();
      if (state.connected || state.reason !== 'Unavailable') return;
      if (msBetween(since, clock.monotonic()) < gracePeriodMs) continue;
      const other = current === server ? announced() : server;
      if (other === undefined) return;
      log.warn('the hub cannot be reached, so its other address is tried', { from: current, to: other });
      current = other;
      use(other);
      since = clock.monotonic();
    }
  };

  return {
    server: () => current,
    unreachable() {
      if (isChecking || signal.aborted || (current === server && announced() === undefined)) return;
      isChecking = true;
      checkUntilReachable()
        // Rejects only when the connection ends meanwhile.
        .catch(() => undefined)
        .finally(() => {
          isChecking = false;
        });
    },
  };
}
