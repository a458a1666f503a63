import { Annotation, KeyPrefix, type ManagedCluster } from '@flotilla/api-types';
import {
  forcedRemovalAnnotation,
  rebootstrapAllowedAnnotation,
  sharedIdentityAnnotation,
} from '../../contract/index.ts';

/** An annotation of a ManagedCluster that only those write who may accept the cluster. Agents may update their own ManagedCluster. */
export interface GuardedAnnotation {
  /** A key, or the prefix of keys. */
  readonly key: string;
  readonly isPrefix?: true;
  /** Only to set it to "true" is guarded: anyone may take an allowance back. */
  readonly isAllowance?: true;
  /** What a user without that right cannot do. */
  readonly cannot: string;
}

/** The one table from which both the webhook and the admission policy are made. */
export const guardedAnnotations: readonly GuardedAnnotation[] = [
  { key: forcedRemovalAnnotation, isAllowance: true, cannot: 'remove it without its agent' },
  { key: sharedIdentityAnnotation, isAllowance: true, cannot: 'let it share the identity of another cluster' },
  { key: rebootstrapAllowedAnnotation, isAllowance: true, cannot: 'allow it another certificate' },
  { key: Annotation.RenewalWithheld, cannot: 'withhold or permit the renewal of its certificate' },
  // What add-ons do for a cluster, on which cluster they run and which images, is not for its agent to say.
  { key: KeyPrefix.AddOnAnnotation, isPrefix: true, cannot: 'change add-on annotations' },
  { key: Annotation.ImageRegistries, cannot: 'choose the registries that images of add-ons come from' },
  // Nor on which cluster the hub installs an agent with the access that it has there.
  { key: Annotation.ClusterApiCluster, cannot: 'choose the cluster that it is imported from' },
];

/** What a user cannot do, with the annotation. */
export const refusalOf = ({ key, isPrefix, cannot }: GuardedAnnotation): string =>
  isPrefix ? `cannot ${cannot} (${key}…)` : `cannot ${cannot} (annotation ${key})`;

/** Those that an update changes, or that a new cluster has. */
export function changedGuards(cluster: ManagedCluster, old: ManagedCluster | undefined): GuardedAnnotation[] {
  const [before = {}, after = {}] = [old?.metadata?.annotations, cluster.metadata?.annotations];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return guardedAnnotations.filter(({ key: guarded, isPrefix, isAllowance }) =>
    keys.some((key) => {
      if (isPrefix) return key.startsWith(guarded) && before[key] !== after[key];
      if (key !== guarded) return false;
      return isAllowance ? after[key] === 'true' && before[key] !== 'true' : (before[key] ?? '') !== (after[key] ?? '');
    }),
  );
}
