import {
  type ManifestCondition,
  type ManifestResourceMeta,
  type ManifestWork,
  WorkManifestCondition,
} from '@flotilla/api-types';
import { findCondition, isDeleting, keyOf } from '@flotilla/kube';
import { identityOf } from '../manifest.ts';
import { strategyOf, type WorkRules } from '../rules.ts';

/**
 * Another work that is reported as having applied an object. After a restart of the agent it counts as the last writer, so that of two
 * works that want different content the same one stays applied.
 */
export const reportedWriter = (
  works: readonly ManifestWork[],
  own: ManifestWork,
  meta: ManifestResourceMeta,
  rules: Pick<WorkRules, 'configOf'>,
): ManifestWork | undefined =>
  works.find((work) => keyOf(work) !== keyOf(own) && !isDeleting(work) && writes(work, meta, rules));

function writes(work: ManifestWork, meta: ManifestResourceMeta, rules: Pick<WorkRules, 'configOf'>): boolean {
  const identity = identityOf(meta);
  const isApplied = ({ resourceMeta, conditions }: ManifestCondition): boolean => {
    const applied = findCondition(conditions, WorkManifestCondition.Applied);
    const isCurrent = applied?.observedGeneration === work.metadata?.generation;
    return identityOf(resourceMeta) === identity && applied?.status === 'True' && isCurrent;
  };
  if (!work.status?.resourceStatus?.manifests?.some(isApplied)) return false;
  const { type } = strategyOf(rules.configOf(work.spec?.manifestConfigs, meta));
  return type === 'Update' || type === 'ServerSideApply';
}
