import { addOnTemplates, type ManagedClusterAddOn } from '@flotilla/api-types';

/** Whether an add-on has the template that it is to be deployed from. */
export const hasTemplate = ({ status }: ManagedClusterAddOn): boolean =>
  (status?.configReferences ?? []).some(
    ({ group, resource, desiredConfig }) =>
      group === addOnTemplates.group && resource === addOnTemplates.plural && Boolean(desiredConfig?.specHash),
  );
