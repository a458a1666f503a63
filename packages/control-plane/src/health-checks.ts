import type { Clock } from '@flotilla/kube';
import type { HealthChecks } from './discovery/index.ts';
import type { Journal } from './storage/journal.ts';

/** Anonymous clients may request health at any rate; the disk is checked no more often than this. */
const storageCheckMs = 2000;

export interface HealthCheckOptions {
  readonly clock: Clock;
  readonly journal: Pick<Journal, 'verify'>;
  /** What keeps the controllers from working; asked at each request. */
  readonly controllersError: () => string | undefined;
}

/** The control plane is ready when its storage can be written and its controllers work. */
export function healthChecks({ clock, journal, controllersError }: HealthCheckOptions): HealthChecks {
  let checked: { readonly at: number; readonly error?: string } | undefined;
  const storageError = (): string | undefined => {
    if (!checked || clock.monotonic() - checked.at >= storageCheckMs) {
      checked = { at: clock.monotonic(), ...verified(journal) };
    }
    return checked.error;
  };
  return {
    live: [],
    ready: [
      { name: 'storage', check: storageError },
      { name: 'controllers', check: controllersError },
    ],
  };
}

function verified(journal: Pick<Journal, 'verify'>): { error?: string } {
  try {
    journal.verify();
    return {};
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
