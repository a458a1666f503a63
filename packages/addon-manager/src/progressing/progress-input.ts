import { addOnTemplates, type ClusterManagementAddOn, kindKeyOf, type ManagedClusterAddOn } from '@flotilla/api-types';
import { keyOf } from '@flotilla/kube';
import type { AddOnWorks } from './add-on-work.ts';
import { hostingClusterOf, type ProgressInput } from './progressing.status.ts';

const templates = kindKeyOf({ group: addOnTemplates.group, resource: addOnTemplates.plural });

/** Add-ons from templates cannot be hosted, whatever their annotations say. */
export const canBeHosted = ({ spec }: ClusterManagementAddOn): boolean =>
  !(spec?.defaultConfigs ?? []).some((config) => kindKeyOf(config) === templates);

/** An add-on with all works that deploy it. */
export function progressInputOf(
  works: AddOnWorks,
  owner: ClusterManagementAddOn,
  addOn: ManagedClusterAddOn,
): ProgressInput {
  const key = keyOf(addOn);
  const hostingCluster = canBeHosted(owner) ? hostingClusterOf(addOn) : undefined;
  const hosted = hostingCluster === undefined ? [] : works.hostedOn(hostingCluster, key);
  return { addOn, hostingCluster, works: [...works.of(key), ...hosted] };
}
