import { ControllerName, type ManagedClusterSet } from '@flotilla/api-types';
import {
  applyConditions,
  type ConditionInput,
  type Controller,
  defineController,
  done,
  isDeleting,
  on,
} from '@flotilla/kube';
import { labelsOf, when } from '../changes.ts';
import type { HubDeps } from '../deps.ts';
import { brokenSet, membership } from './cluster-set.status.ts';
import { membersOf, setKeysOf } from './membership.ts';

/** Says on each set whether clusters are in it. */
export function clusterSetController({ clusters, sets, clock }: HubDeps): Controller {
  const statusOf = (set: ManagedClusterSet): ConditionInput => {
    try {
      return membership(membersOf(clusters, set).length);
    } catch (error) {
      return brokenSet(error);
    }
  };
  return defineController({
    name: ControllerName.ManagedClusterSet,
    watches: [
      on(
        sets,
        undefined,
        when(({ spec }) => spec),
      ),
      on(clusters, setKeysOf(sets), when(labelsOf)),
    ],
    async reconcile(name) {
      const set = sets.get(name);
      if (!set || isDeleting(set)) return done;
      await applyConditions(sets, set, [statusOf(set)], { clock, observedGeneration: false });
      return done;
    },
  });
}
