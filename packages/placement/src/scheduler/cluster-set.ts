import { Label, type ManagedClusterSet } from '@flotilla/api-types';
import type { ClusterView } from './cluster-view.ts';
import { compileSelector } from './selectors.ts';

/** Whether a cluster is a member of a set. */
export type MemberTest = (cluster: Pick<ClusterView, 'labels'>) => boolean;

/** The test for members of a set. Throws if the set cannot be understood. */
export function memberTest({ metadata, spec }: ManagedClusterSet): MemberTest {
  const type: string = spec?.clusterSelector?.selectorType || 'ExclusiveClusterSetLabel';
  if (type === 'ExclusiveClusterSetLabel') return ({ labels }) => labels[Label.ClusterSet] === metadata?.name;
  if (type !== 'LabelSelector') throw new Error(`selectorType is not right: ${type}`);
  const selector = spec?.clusterSelector?.labelSelector;
  if (!selector) return () => false;
  const matches = compileSelector(selector);
  return ({ labels }) => matches(labels);
}

/**
 * The sets that a placement may choose from, sorted: those bound to its namespace that exist, and of these the ones that its
 * spec names, if it names any.
 */
export function eligibleSets(
  boundSets: Iterable<string>,
  setExists: (name: string) => boolean,
  wanted: readonly string[] = [],
): { readonly valid: readonly string[]; readonly eligible: readonly string[] } {
  const valid = [...boundSets].filter(setExists).sort();
  return { valid, eligible: wanted.length === 0 ? valid : valid.filter((name) => wanted.includes(name)) };
}
