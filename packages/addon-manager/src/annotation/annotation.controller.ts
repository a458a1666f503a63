import { AddOnControllerName, type ManagedCluster } from '@flotilla/api-types';
import { type Controller, defineController, done, isDeleting, on, type StoreChange } from '@flotilla/kube';
import { semanticEqual } from '@flotilla/kube/meta';
import { attemptAll } from '../attempt-all.ts';
import type { AddonCaches } from '../caches.ts';
import { whenThereOrGone } from '../changes.ts';
import { isInstalledByPlacements } from '../lifecycle.ts';
import { addOnAnnotationsOf } from '../management/management.policy.ts';
import { writeMetadata } from '../write-changes.ts';
import { annotationChanges } from './annotation.policy.ts';

/** Copies the add-on annotations of clusters to their add-ons that placements installed. */
export function annotationController({ clusters, addOns, managementAddOns, addOnsOf }: AddonCaches): Controller {
  /** Clusters whose annotations changed and whose add-ons do not follow yet. */
  const changed = new Set<string>();

  const observe = ({ type, key, object, previous }: StoreChange<ManagedCluster>): boolean => {
    if (type === 'deleted') changed.delete(key);
    if (type !== 'updated') return type === 'added';
    if (semanticEqual(addOnAnnotationsOf(object), addOnAnnotationsOf(previous))) return false;
    changed.add(key);
    return true;
  };

  return defineController({
    name: AddOnControllerName.Annotation,
    isOptional: true,
    watches: [on(clusters, undefined, observe), on(addOns, ({ metadata }) => metadata?.namespace, whenThereOrGone)],
    reads: [managementAddOns],
    async reconcile(name) {
      const cluster = clusters.get(name);
      if (!cluster) return done;
      const wanted = addOnAnnotationsOf(cluster);
      const clusterChanged = changed.has(name);
      await attemptAll(addOnsOf(name), async (addOn) => {
        const owner = managementAddOns.get(addOn.metadata?.name ?? '');
        if (!owner || !isInstalledByPlacements(owner) || isDeleting(addOn)) return;
        await writeMetadata(addOns, addOn, (current) => {
          const annotations = annotationChanges(current, wanted, clusterChanged);
          return annotations && { annotations };
        });
      });
      const current = clusters.get(name);
      if (!current || semanticEqual(addOnAnnotationsOf(current), wanted)) changed.delete(name);
      return done;
    },
  });
}
