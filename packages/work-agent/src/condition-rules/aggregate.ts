import { conditionRuleReasonPrefix, type ManifestCondition, ManifestWorkCondition } from '@flotilla/api-types';
import type { ConditionInput } from '@flotilla/kube';
import { setConditions } from '@flotilla/kube/conditions';
import type { Condition } from '@flotilla/schema';

/** When, and for which generation of the work, conditions are summed up. */
export interface Moment {
  readonly generation: number;
  readonly now: number;
}

/** The conditions of a work, with those of its manifests' rules summed up and those of rules that are gone left out. */
export function aggregateRuleConditions(
  conditions: readonly Condition[],
  manifests: readonly ManifestCondition[],
  { generation, now }: Moment,
): readonly Condition[] {
  // Those of rules that are still there are set first: a condition that stays as it was keeps its time in a new generation.
  return setConditions(conditions, aggregates(manifests, generation), now).filter(
    (condition) => !isFromRule(condition) || condition.observedGeneration === generation,
  );
}

/** One for each type that a rule of any manifest gives, sorted by type. */
function aggregates(manifests: readonly ManifestCondition[], observedGeneration: number): ConditionInput[] {
  const ofRules = manifests.flatMap((manifest) => manifest.conditions).filter(isFromRule);
  const byType = Map.groupBy(ofRules, ({ type }) => type);
  return [...byType]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([type, all]) => ({
      type,
      status: statusOf(type, all),
      reason: 'ConditionRulesAggregated',
      message: messageOf(all),
      observedGeneration,
    }));
}

const isFromRule = ({ reason }: Condition): boolean => reason.startsWith(conditionRuleReasonPrefix);

/** The worst wins. A work progresses as long as any of its manifests does. */
function statusOf(type: string, all: readonly Condition[]): Condition['status'] {
  const worst: readonly Condition['status'][] =
    type === ManifestWorkCondition.Progressing ? ['True', 'Unknown', 'False'] : ['False', 'Unknown', 'True'];
  return worst.find((status) => all.some((condition) => condition.status === status)) ?? 'Unknown';
}

function messageOf(all: readonly Condition[]): string {
  const [first, ...others] = all;
  return first?.message && others.length === 0 ? first.message : `Aggregated from ${all.length} manifest conditions`;
}
