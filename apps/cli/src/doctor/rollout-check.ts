import {
  clusterManagementAddOns,
  type ManifestWorkReplicaSet,
  ManifestWorkReplicaSetCondition,
  ManifestWorkReplicaSetReason,
  manifestWorkReplicaSets,
} from '@flotilla/api-types';
import { findCondition, type KubeClient } from '@flotilla/kube';
import { stallsOf } from '../addon/stalled-rollouts.ts';
import { ifServed } from '../cluster/served.ts';
import { type Check, failed, ok } from './check.ts';

/** Why the rollout of a replica set, or the removal of its works, does not go on. */
function stallOfReplicaSet({ status }: ManifestWorkReplicaSet): string | undefined {
  const { ClustersFailed, RemovalHeld } = ManifestWorkReplicaSetCondition;
  const found = [ClustersFailed, RemovalHeld].map((type) => findCondition(status?.conditions, type));
  const { MaxFailuresExceeded, InvalidRolloutStrategy } = ManifestWorkReplicaSetReason.ClustersFailed;
  const { DecisionsMissing } = ManifestWorkReplicaSetReason.RemovalHeld;
  const stops: ReadonlySet<string> = new Set([MaxFailuresExceeded, InvalidRolloutStrategy, DecisionsMissing]);
  return found.find((condition) => condition?.status === 'True' && stops.has(condition.reason))?.message;
}

/** Whether rollouts of add-ons and replica sets go on. Clusters that wait for their turn are Available, and look fine. */
export const rolloutCheck = (client: KubeClient, program: string): Check => [
  'rollouts',
  async () => {
    const none = { items: [] };
    const addOns = await ifServed(() => client.resource(clusterManagementAddOns).list(), none);
    const sets = await ifServed(() => client.resource(manifestWorkReplicaSets).list(), none);
    const stalled = [
      ...addOns.items.flatMap((addOn) =>
        stallsOf(addOn).map((why) => ({
          what: `add-on ${addOn.metadata?.name}, ${why}`,
          fix: `${program} explain addon ${addOn.metadata?.name}`,
        })),
      ),
      ...sets.items.flatMap((set) => {
        const { namespace, name } = set.metadata ?? {};
        const why = stallOfReplicaSet(set);
        if (why === undefined) return [];
        return [{ what: `mwrs ${namespace}/${name}: ${why}`, fix: `${program} explain mwrs ${name} -n ${namespace}` }];
      }),
    ];
    const [first] = stalled;
    if (!first) return ok('none is stalled');
    const more = stalled.length > 1 ? ` (and ${stalled.length - 1} more)` : '';
    return failed(`${first.what}${more}`, first.fix);
  },
];
