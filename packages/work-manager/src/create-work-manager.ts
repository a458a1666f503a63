import { type FeatureGateValues, featureGateValues } from '@flotilla/api-types';
import type { Clock, Controller, Informers } from '@flotilla/kube';
import { garbageCollectionController } from './garbage-collection/garbage-collection.controller.ts';
import { replicaSetController } from './replica-set/replica-set.controller.ts';
import { revisionsController } from './revisions/revisions.controller.ts';

/** What the work manager is made of. */
export interface WorkManagerInput {
  readonly informers: Informers;
  readonly clock: Clock;
  readonly gates?: FeatureGateValues;
}

/** The hub's side of work distribution: give its controllers to `runControllers`. */
export interface WorkManager {
  readonly controllers: readonly Controller[];
}

/** Makes the hub's work controllers: those whose gate is on. Gates have OCM's names and defaults. */
export function createWorkManager({ informers, clock, gates }: WorkManagerInput): WorkManager {
  const isOn = featureGateValues('hub-work', gates);
  const hasRevisions = isOn.ManifestWorkReplicaSetRevisions ?? false;
  return {
    controllers: [
      ...(isOn.CleanUpCompletedManifestWork ? [garbageCollectionController({ informers, clock })] : []),
      ...(isOn.ManifestWorkReplicaSet ? [replicaSetController({ informers, clock })] : []),
      ...(isOn.ManifestWorkReplicaSet && hasRevisions ? [revisionsController({ informers })] : []),
    ],
  };
}
