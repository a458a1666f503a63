import { ControllerName, LogReason, ManagedClusterCondition } from '@flotilla/api-types';
import { applyConditions, type Controller, defineController, done, on } from '@flotilla/kube';
import { conditionOf, when } from '../changes.ts';
import { byNamespace, type HubDeps } from '../deps.ts';
import { lostAddOn } from './addon.policy.ts';

/** Makes the add-ons of a cluster unknown when the cluster is, also those that are made meanwhile. */
export const addOnHealthController = ({ clusters, addons, clock }: HubDeps): Controller =>
  defineController({
    name: ControllerName.AddOnHealthCheck,
    isOptional: true,
    watches: [
      on(clusters, undefined, when(conditionOf(ManagedClusterCondition.Available))),
      on(
        addons,
        ({ metadata }) => metadata?.namespace,
        ({ type }) => type === 'added',
      ),
    ],
    async reconcile(name, { log }) {
      const cluster = clusters.get(name);
      const condition = cluster && lostAddOn(cluster);
      if (!condition) return done;
      const answers = await Promise.allSettled(
        addons.byIndex(byNamespace, name).map(async (addOn) => {
          const { written } = await applyConditions(addons, addOn, [condition], { clock, observedGeneration: false });
          if (written)
            log.info('an add-on is unknown', { reason: LogReason.AddOnStatusUpdated, addOn: addOn.metadata?.name });
        }),
      );
      const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
      if (errors.length > 0) throw new AggregateError(errors, `${errors.length} add-ons could not be marked`);
      return done;
    },
  });
