import type { ManagedCluster } from '@flotilla/api-types';
import type { Clock, Logger } from '@flotilla/kube';
import { type MonotonicTime, msBetween } from '@flotilla/kube/clock';
import { type HubOffer, isDenied } from '../../contract/index.ts';
import { isLost, pauseOf } from './hub-timeout.policy.ts';

/** What decides whether to leave a hub for another. */
export interface HubWatchOptions {
  readonly timeoutMs: number;
  /** Asks the hub itself. Never rejects. */
  readonly check: () => Promise<HubOffer>;
  /** Called once, when it is time to leave the hub. */
  readonly onLost: (message: string) => void;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Notices that a hub sent the cluster away or is gone (gate MultipleHubs). */
export interface HubWatch {
  /** The hub answered: it took a heartbeat. */
  contacted(): void;
  observed(cluster: ManagedCluster): void;
}

/** Watches one connection to a hub. */
export function watchHub({ timeoutMs, check, onLost, clock, log, signal }: HubWatchOptions): HubWatch {
  const startedAt = clock.monotonic();
  let lastContactAt: MonotonicTime | undefined;
  let isOver = signal.aborted;
  let cancel = () => {};
  const end = () => {
    isOver = true;
    cancel();
  };
  const leave = (message: string) => {
    if (isOver) return;
    end();
    onLost(message);
  };
  const contacted = () => {
    lastContactAt = clock.monotonic();
  };

  const checkContact = async (): Promise<void> => {
    if (msBetween(lastContactAt ?? startedAt, clock.monotonic()) >= pauseOf(timeoutMs)) {
      const offer = await check();
      if (offer.kind === 'open') contacted();
      else if (offer.kind === 'denied') return leave(offer.message);
      else if (isLost({ startedAt, lastContactAt, timeoutMs }, clock.monotonic())) {
        return leave(`the hub did not answer for ${timeoutMs / 1000} s: ${offer.message}`);
      } else log.warn('the hub does not answer', { why: offer.message });
    }
    arm();
  };
  const arm = (): void => {
    if (!isOver) cancel = clock.schedule(pauseOf(timeoutMs), () => void checkContact());
  };
  signal.addEventListener('abort', end, { once: true });
  arm();

  return {
    contacted,
    observed(cluster) {
      if (isDenied(cluster)) leave('the hub does not accept the cluster any more');
    },
  };
}
