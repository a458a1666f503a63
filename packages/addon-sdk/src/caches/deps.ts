import type { Clock, KubeClient, Logger, ObjectKey } from '@flotilla/kube';
import type { ResourceType } from '@flotilla/schema';
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
  /** The ManagedClusterAddOn as the hub serves it, for owner references: those to a version that is not served hold for nobody. */
  ownerType(): Promise<ResourceType>;
}
