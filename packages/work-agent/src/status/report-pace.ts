import { ManifestWorkCondition, type ManifestWorkStatus, WorkManifestCondition } from '@flotilla/api-types';
import { semanticEqual } from '@flotilla/kube/meta';
import type { Condition } from '@flotilla/schema';

/** What rules observe is reported at once, and not again before this time. */
export const shortestPauseMs = 1_000;

/** Conditions about what the agent did. All others, and the feedback, are what rules observe, and change as often as the objects. */
const ownTypes: ReadonlySet<string> = new Set([
  ManifestWorkCondition.Applied,
  ManifestWorkCondition.Available,
  ManifestWorkCondition.Deleting,
  ManifestWorkCondition.StatusTruncated,
  WorkManifestCondition.Applied,
  WorkManifestCondition.Available,
]);

/** Whether only what rules observe changed in a status. */
export const isObservationOnly = (before: ManifestWorkStatus | undefined, next: ManifestWorkStatus): boolean =>
  !semanticEqual(before, next) && semanticEqual(ownPart(before), ownPart(next));

function ownPart(status: ManifestWorkStatus | undefined): unknown {
  const own = (conditions: readonly Condition[] | undefined) => conditions?.filter(({ type }) => ownTypes.has(type));
  return {
    conditions: own(status?.conditions),
    manifests: status?.resourceStatus?.manifests?.map(({ resourceMeta, conditions }) => [
      resourceMeta,
      own(conditions),
    ]),
  };
}
