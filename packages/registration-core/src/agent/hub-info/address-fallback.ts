import type { Clock, Logger } from '@flotilla/kube';
import type { CredentialVerdict } from '../../contract/index.ts';

/** What looks for the hub where it said that it can be found too. */
export interface AddressFallbackOptions {
  /** Where the bootstrap access leads. */
  readonly server: string;
  /** What the hub announced; undefined if nothing else. */
  readonly announced: () => string | undefined;
  /** Whether the hub can be reached at the address in use. */
  readonly check: () => Promise<CredentialVerdict>;
  /** Goes on with another address. */
  readonly use: (server: string) => void;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Changes over between two addresses of one hub. */
export interface AddressFallback {
  /** Some request could not be delivered; whether that lasts is found out. */
  unreachable(): void;
}

const checkEveryMs = 5000;
/** Shorter interruptions are no reason to go elsewhere. */
const patienceMs = 30_000;

/** Watches one connection; costs nothing while requests arrive. */
export function addressFallback(options: AddressFallbackOptions): AddressFallback {
  const { server, announced, check, use, clock, log, signal } = options;
  let current = server;
  let isLooking = false;

  const look = async (): Promise<void> => {
    let since = clock.monotonic();
    while (!signal.aborted) {
      await clock.sleep(checkEveryMs, signal);
      const verdict = await check();
      if (verdict.usable || verdict.reason === 'Unauthorized' || verdict.reason === 'Forbidden') return;
      if (clock.monotonic() - since < patienceMs) continue;
      const other = current === server ? announced() : server;
      if (other === undefined) return;
      log.warn('the hub cannot be reached, so its other address is tried', { from: current, to: other });
      current = other;
      use(other);
      since = clock.monotonic();
    }
  };

  return {
    unreachable() {
      if (isLooking || signal.aborted || announced() === undefined) return;
      isLooking = true;
      look()
        // Rejects only when the connection ends meanwhile.
        .catch(() => undefined)
        .finally(() => {
          isLooking = false;
        });
    },
  };
}
