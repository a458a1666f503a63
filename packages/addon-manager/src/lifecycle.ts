import { Annotation, type ClusterManagementAddOn } from '@flotilla/api-types';

/** The value of the lifecycle annotation with which the add-on manager installs and configures an add-on. */
const addOnManager = 'addon-manager';

/** Whether the add-on manager installs and configures an add-on. As in OCM, an empty annotation means that it does not. */
export function isManaged({ metadata }: ClusterManagementAddOn): boolean {
  const lifecycle = metadata?.annotations?.[Annotation.AddOnLifecycle];
  return lifecycle === undefined || lifecycle === addOnManager;
}

/** Whether an add-on is installed on the clusters of placements. */
export const isInstalledByPlacements = ({ spec }: ClusterManagementAddOn): boolean =>
  spec?.installStrategy?.type === 'Placements';
