import {
  ControllerName,
  type ManagedClusterAddOn,
  ManagedClusterAddOnCondition,
  ManagedClusterCondition,
} from '@flotilla/api-types';
import { type Controller, defineController, done, findCondition, isDeleting, on } from '@flotilla/kube';
import { conditionOf, deletionOf, labelsOf, when } from '../changes.ts';
import { byNamespace, type HubDeps } from '../deps.ts';
import { featureLabelChanges } from './addon.policy.ts';

/** Labels clusters by their add-ons, so that placements can select by them. */
export const addOnFeaturesController = ({ clusters, addons }: HubDeps): Controller =>
  defineController({
    name: ControllerName.AddOnFeatureDiscovery,
    isOptional: true,
    watches: [
      on(clusters, undefined, when(labelsOf, conditionOf(ManagedClusterCondition.Available))),
      on(
        addons,
        ({ metadata }) => metadata?.namespace,
        when(
          deletionOf,
          ({ status }: ManagedClusterAddOn) =>
            findCondition(status?.conditions, ManagedClusterAddOnCondition.Available)?.status,
        ),
      ),
    ],
    async reconcile(name) {
      const cluster = clusters.get(name);
      if (!cluster || isDeleting(cluster)) return done;
      if (!findCondition(cluster.status?.conditions, ManagedClusterCondition.Available)) return done;
      const labels = featureLabelChanges(cluster, addons.byIndex(byNamespace, name));
      if (Object.keys(labels).length > 0) await clusters.patch(name, { type: 'merge', body: { metadata: { labels } } });
      return done;
    },
  });
