import { type ConfigName, chosenRecord, wantedConfigs } from '@flotilla/addon-sdk';
import { Annotation, type ClusterManagementAddOn, type ManagedClusterAddOn } from '@flotilla/api-types';

/** Whether an add-on takes configurations at all. */
const takesConfigs = ({ spec }: ClusterManagementAddOn): boolean =>
  (spec?.defaultConfigs ?? []).length > 0 ||
  (spec?.installStrategy?.placements ?? []).some(({ configs = [] }) => configs.length > 0);

/**
 * The annotation that records which configurations the hub chose for the add-on of a cluster, for who must not believe its status:
 * undefined if it is there, or the add-on takes none. Contents are not part of it, so that a change of one writes nothing.
 */
export function chosenAnnotation(
  addOn: Pick<ManagedClusterAddOn, 'spec'> & Partial<ManagedClusterAddOn>,
  owner: ClusterManagementAddOn,
  inherited: readonly ConfigName[],
): Readonly<Record<string, string>> | undefined {
  const present = addOn.metadata?.annotations?.[Annotation.ChosenConfigs];
  const isNeeded = present !== undefined || takesConfigs(owner) || (addOn.spec?.configs ?? []).length > 0;
  const record = chosenRecord(wantedConfigs(addOn, inherited.map(nameOf)));
  return isNeeded && record !== present ? { [Annotation.ChosenConfigs]: record } : undefined;
}

const nameOf = ({ group = '', resource, namespace, name }: ConfigName) => ({
  group,
  resource,
  ...(namespace && { namespace }),
  name,
});
