import {
  AddOnControllerName,
  addOnTemplates,
  type ClusterManagementAddOn,
  type ManagedClusterAddOn,
  ManagedClusterAddOnCondition,
} from '@flotilla/api-types';
import {
  type Controller,
  defineController,
  done,
  findCondition,
  type Informers,
  isDeleting,
  keyOf,
  on,
} from '@flotilla/kube';
import type { AddonCaches } from '../caches.ts';
import { identityOf, when } from '../changes.ts';
import { kindKeyOf } from '../configs/config.ts';
import { isManaged } from '../lifecycle.ts';
import { writeStatus } from '../write-changes.ts';
import { addOnOfWork, addOnWorks } from './add-on-work.ts';
import { hostingClusterOf, progressingStatus } from './progressing.status.ts';

const templates = kindKeyOf({ group: addOnTemplates.group, resource: addOnTemplates.plural });

/** Add-ons from templates cannot be hosted, whatever their annotations say. */
const canBeHosted = ({ spec }: ClusterManagementAddOn): boolean =>
  !(spec?.defaultConfigs ?? []).some((config) => kindKeyOf(config) === templates);

/** Whether its configurations were decided on: before that there is nothing to progress, and two controllers would write to each new add-on at once. */
const isConfigured = ({ status }: ManagedClusterAddOn): boolean =>
  findCondition(status?.conditions, ManagedClusterAddOnCondition.Configured) !== undefined;

const progressFactsOf = (addOn: ManagedClusterAddOn): unknown => [
  addOn.spec?.configs,
  addOn.status?.configReferences,
  addOn.status?.supportedConfigs,
  hostingClusterOf(addOn),
  isConfigured(addOn),
  ...[
    ManagedClusterAddOnCondition.Progressing,
    ManagedClusterAddOnCondition.ManifestApplied,
    ManagedClusterAddOnCondition.HostingManifestApplied,
  ].map((type) => findCondition(addOn.status?.conditions, type)),
];

/** Says whether the newest configurations of an add-on have arrived on its cluster, from the works that carry them. */
export function progressingController(caches: AddonCaches, informers: Informers): Controller {
  const { managementAddOns, addOns, clock } = caches;
  const works = addOnWorks(informers);
  return defineController({
    name: AddOnControllerName.Progressing,
    isOptional: true,
    watches: [
      on(addOns, undefined, when(identityOf, progressFactsOf)),
      on(
        managementAddOns,
        ({ metadata }) => caches.addOnsNamed(metadata?.name ?? '').map(keyOf),
        when(identityOf, isManaged, canBeHosted),
      ),
      on(works.cache, addOnOfWork),
    ],
    async reconcile(key) {
      const addOn = addOns.get(key);
      const owner = managementAddOns.get(addOn?.metadata?.name ?? '');
      if (!addOn || isDeleting(addOn) || !owner || !isManaged(owner) || !isConfigured(addOn)) return done;
      await writeStatus(addOns, addOn, (current) => {
        const hostingCluster = canBeHosted(owner) ? hostingClusterOf(current) : undefined;
        const hosted = hostingCluster === undefined ? [] : works.hostedOn(hostingCluster, key);
        return progressingStatus({ addOn: current, hostingCluster, works: [...works.of(key), ...hosted] }, clock.now());
      });
      return done;
    },
  });
}
