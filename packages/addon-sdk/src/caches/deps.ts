import type { Clock, KubeClient, Logger, ObjectKey } from '@flotilla/kube';
import type { Observable } from 'rxjs';
import type { AddonDefinition } from '../definition/addon-definition.ts';
import type { AddonCaches } from './caches.ts';

/** What the controllers of one definition share. */
export interface AddonDeps {
  readonly definition: AddonDefinition;
  readonly client: KubeClient;
  readonly caches: AddonCaches;
  readonly clock: Clock;
  readonly log: Logger;
  /** In [0, 1). */
  readonly random: () => number;
  /** Keys of ManagedClusterAddOns to reconcile although nothing changed. */
  readonly triggers: Observable<ObjectKey>;
  /** Serialized manifests in one ManifestWork, in bytes. */
  readonly workBudget: number;
}
