import { AddOnControllerName, type ClusterManagementAddOn } from '@flotilla/api-types';
import { type Controller, defineController, done, isDeleting, on } from '@flotilla/kube';
import type { AddonCaches } from '../caches.ts';
import { identityOf, intentOf, when } from '../changes.ts';
import { writeStatus } from '../write-changes.ts';
import { nextProgress } from './install-progression.policy.ts';

const statusOf = ({ status }: ClusterManagementAddOn): unknown => status;

/** Computes which configurations an add-on has by default and on the clusters of each placement. */
export const installProgressionController = ({ managementAddOns }: AddonCaches): Controller =>
  defineController({
    name: AddOnControllerName.InstallProgression,
    isOptional: true,
    watches: [on(managementAddOns, undefined, when(identityOf, intentOf, statusOf))],
    async reconcile(name) {
      const addOn = managementAddOns.get(name);
      if (addOn && !isDeleting(addOn)) await writeStatus(managementAddOns, addOn, nextProgress);
      return done;
    },
  });
