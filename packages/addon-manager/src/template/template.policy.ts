import { chosenBy } from '@flotilla/addon-sdk';
import { addOnTemplates, type ClusterManagementAddOn, Label, type ManagedClusterAddOn } from '@flotilla/api-types';
import type { RoleBinding } from '@flotilla/kube/kinds';

const isOfTemplates = ({ group = '', resource }: { readonly group?: string; readonly resource: string }): boolean =>
  group === addOnTemplates.group && resource === addOnTemplates.plural;

/** Whether an add-on consists of templates: it lists that kind, with or without a default. */
export const takesTemplates = ({ spec }: ClusterManagementAddOn): boolean =>
  (spec?.defaultConfigs ?? []).some(isOfTemplates);

/** Whether a template that the hub chose is deployed on a cluster. An agent that names another one starts nothing. */
function hasTemplate(addOn: ManagedClusterAddOn, offer: ClusterManagementAddOn | undefined): boolean {
  const templates = (addOn.status?.configReferences ?? []).filter(isOfTemplates);
  // Most add-ons have none, and what was chosen is costly to find out for each of hundreds.
  if (templates.length === 0) return false;
  const isChosen = chosenBy(addOn, offer);
  return templates.some(
    ({ desiredConfig, ...kind }) => desiredConfig !== undefined && isChosen({ ...desiredConfig, ...kind }),
  );
}

/**
 * Whether template add-ons of a name are served. They are while one is offered, and as long as clusters have one: hooks of an add-on that
 * is removed run after its offer is gone, and also when the hub is started only then.
 */
export const isServed = (
  offer: ClusterManagementAddOn | undefined,
  addOns: readonly ManagedClusterAddOn[],
  isRunning: boolean,
): boolean =>
  (offer !== undefined && takesTemplates(offer)) ||
  (isRunning ? addOns.length > 0 : addOns.some((addOn) => hasTemplate(addOn, offer)));

/** The add-on of a binding that a template made for the agents of all clusters, and that therefore has no owner. */
export const sharedBindingOf = ({ metadata }: RoleBinding): string | undefined => {
  const { labels = {}, ownerReferences = [] } = metadata ?? {};
  const isShared = labels[Label.AddOnTemplateName] !== undefined && ownerReferences.length === 0;
  return isShared ? labels[Label.AddOnName] : undefined;
};
