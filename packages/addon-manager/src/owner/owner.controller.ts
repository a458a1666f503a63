import { AddOnControllerName } from '@flotilla/api-types';
import { type Controller, defineController, done, isDeleting, keyOf, on } from '@flotilla/kube';
import type { AddonCaches } from '../caches.ts';
import { identityOf, when } from '../changes.ts';
import { isManaged } from '../lifecycle.ts';
import { ownerReferenceOf } from '../management/management.policy.ts';
import { writeMetadata } from '../write-changes.ts';
import { withOwner } from './owner.policy.ts';

/** Makes add-ons on clusters owned by their ClusterManagementAddOn, so that they go with it, also those that users make. */
export const ownerController = ({ managementAddOns, addOns, addOnsNamed }: AddonCaches): Controller =>
  defineController({
    name: AddOnControllerName.Owner,
    isOptional: true,
    watches: [
      on(
        addOns,
        undefined,
        when(identityOf, ({ metadata }) => metadata?.ownerReferences),
      ),
      on(managementAddOns, ({ metadata }) => addOnsNamed(metadata?.name ?? '').map(keyOf), when(identityOf, isManaged)),
    ],
    async reconcile(key) {
      const addOn = addOns.get(key);
      const owner = managementAddOns.get(addOn?.metadata?.name ?? '');
      if (!addOn || isDeleting(addOn) || !owner || isDeleting(owner) || !isManaged(owner)) return done;
      await writeMetadata(addOns, addOn, ({ metadata }) => {
        const { ownerReferences = [] } = metadata ?? {};
        const wanted = withOwner(ownerReferences, ownerReferenceOf(owner));
        return wanted === ownerReferences ? undefined : { ownerReferences: wanted };
      });
      return done;
    },
  });
