import type { AppliedManifestWork, ManagedCluster, ManifestWork } from '@flotilla/api-types';
import type { KubeObject } from '@flotilla/schema';

/** What is known of an object on the managed cluster. */
export type ObjectFacts =
  | { readonly kind: 'there'; readonly object: KubeObject }
  | { readonly kind: 'absent' }
  /** It could not be asked for: its kind is not known there, or the user lacks the permission. */
  | { readonly kind: 'unreadable'; readonly why: string };

/** What was read on the managed cluster. */
export interface ManagedFacts {
  /** Those that stand for the work; several if two hubs have a work of that name. */
  readonly appliedWorks: readonly AppliedManifestWork[];
  /** By the index of the manifest. */
  readonly objects: readonly ObjectFacts[];
}

/** All that an explanation is made of. */
export interface WorkFacts {
  readonly work: ManifestWork;
  readonly cluster?: ManagedCluster;
  /** When the agent of the cluster last renewed its lease. */
  readonly heartbeat?: string;
  /** Absent unless the managed cluster could be asked. */
  readonly managed?: ManagedFacts;
  readonly now: number;
}
