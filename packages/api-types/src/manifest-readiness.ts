import type { ObjectMeta } from '@flotilla/schema';
import type { ManifestCondition } from './kinds/types.ts';
import { conditionRuleReasonPrefix, Label, WorkManifestCondition, WorkManifestReason } from './names/index.ts';

/** Whether the object of a manifest has come to what the manifest asks for, as the agent of its cluster reports it. */
export interface ManifestReadiness {
  /** `waiting` may still become ready without a change; `failed` does not, by the rules of its kind. */
  readonly kind: 'ready' | 'waiting' | 'failed';
  /** Why, in words for users; what is ready has a message, too. */
  readonly message: string;
  /** Since when, as RFC 3339; not before the generation of the work was applied. */
  readonly since: string;
}

/**
 * Whether agents report readiness for a work: those of replica sets, whose rollouts wait for it. Readiness costs a read for each
 * change of an object's status, which other works are spared.
 */
export const isReadinessReported = ({ metadata }: { readonly metadata?: ObjectMeta }): boolean =>
  metadata?.labels?.[Label.ManifestWorkReplicaSet] !== undefined;

/**
 * The readiness of a manifest for a generation of its work. Undefined if it was not reported for that generation: the agent has not
 * seen it, or is one that does not report readiness, such as OCM's. A condition rule of this name, which OCM's evaluates, says nothing.
 */
export function readinessOfManifest(
  { conditions }: Pick<ManifestCondition, 'conditions'>,
  generation: number | undefined,
): ManifestReadiness | undefined {
  const condition = conditions.find(({ type }) => type === WorkManifestCondition.ResourceReady);
  if (!condition || (condition.observedGeneration ?? 0) !== (generation ?? 0)) return undefined;
  const { status, reason, message, lastTransitionTime: since } = condition;
  if (reason.startsWith(conditionRuleReasonPrefix)) return undefined;
  if (status === 'True') return { kind: 'ready', message, since };
  const isFailed = status === 'False' && reason === WorkManifestReason.ResourceReady.Failed;
  return { kind: isFailed ? 'failed' : 'waiting', message, since };
}
