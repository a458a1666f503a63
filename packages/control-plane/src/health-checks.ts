import type { Clock } from '@flotilla/kube';
import type { HealthChecks } from './discovery/index.ts';
import type { Journal } from './storage/journal.ts';

/** Anybody may ask for health as often as they like; the disk is asked no more often than this. */
const storageCheckMs = 2000;

export interface HealthCheckOptions {
  readonly clock: Clock;
  readonly journal: Pick<Journal, 'verify'>;
  /** What keeps the controllers from working; asked at each request. */
  readonly controllerProblem: () => string | undefined;
}

/** The control plane is ready when its storage can be written and its controllers work. */
export function healthChecks({ clock, journal, controllerProblem }: HealthCheckOptions): HealthChecks {
  let checked: { readonly at: number; readonly problem?: string } | undefined;
  const storageProblem = (): string | undefined => {
    if (!checked || clock.now() - checked.at >= storageCheckMs) {
      checked = { at: clock.now(), ...verified(journal) };
    }
    return checked.problem;
  };
  return {
    live: [],
    ready: [
      { name: 'storage', problem: storageProblem },
      { name: 'controllers', problem: controllerProblem },
    ],
  };
}

function verified(journal: Pick<Journal, 'verify'>): { problem?: string } {
  try {
    journal.verify();
    return {};
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
