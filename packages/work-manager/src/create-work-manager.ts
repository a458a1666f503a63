import type { Clock, Controller, Informers } from '@flotilla/kube';
import { garbageCollectionController } from './garbage-collection/garbage-collection.controller.ts';
import { type WorkGates, workGates } from './gates.ts';

/** What the work manager is made of. */
export interface WorkManagerInput {
  readonly informers: Informers;
  readonly clock: Clock;
  readonly gates?: WorkGates;
}

/** The hub's side of work distribution: give its controllers to `runControllers`. */
export interface WorkManager {
  readonly controllers: readonly Controller[];
}

/** Makes the hub's work controllers: those whose gate is on. Gates have OCM's names and defaults. */
export function createWorkManager({ informers, clock, gates }: WorkManagerInput): WorkManager {
  const { CleanUpCompletedManifestWork: collects } = workGates(gates);
  return { controllers: collects ? [garbageCollectionController({ informers, clock })] : [] };
}
