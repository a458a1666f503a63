import {
  AddOnRole,
  type ManagedCluster,
  type ManagedClusterAddOn,
  managedClusterAddOns,
  managedClusters,
  registeredIdentity,
} from '@flotilla/api-types';
import { type Controller, defineController, done, type Informers, on, splitKey } from '@flotilla/kube';
import { clusterRoles } from '@flotilla/kube/kinds';
import { semanticEqual } from '@flotilla/kube/meta';
import { impersonationRules, isServed } from './addon-rights.policy.ts';

const [[label, value] = ['', '']] = Object.entries(AddOnRole.labels);

/** Lets the gRPC server act for the add-ons of clusters that registered over gRPC, each by its name, as long as they are registered. */
export function addonRightsController({ informers }: { readonly informers: Informers }): Controller {
  const clusters = informers.resource(managedClusters);
  const addOns = informers.resource(managedClusterAddOns);
  const roles = informers.resource(clusterRoles, { labelSelector: `${label}=${value}` });
  const roleOfAddOn = ({ metadata }: ManagedClusterAddOn) => AddOnRole.of(metadata?.namespace ?? '');
  const roleOfCluster = ({ metadata }: ManagedCluster) => AddOnRole.of(metadata?.name ?? '');
  return defineController({
    name: 'grpc-addon-rights',
    isOptional: true,
    watches: [
      on(roles),
      on(
        addOns,
        roleOfAddOn,
        ({ object, previous, type }) => type !== 'updated' || identityText(object) !== identityText(previous),
      ),
      on(
        clusters,
        roleOfCluster,
        ({ object, previous, type }) => type !== 'updated' || isServed(object) !== isServed(previous),
      ),
    ],
    async reconcile(key) {
      const { name } = splitKey(key);
      const role = roles.get(name);
      // Installed with the gRPC server. Whoever may create it could give it any rule.
      if (!role || !AddOnRole.names.includes(name)) return done;
      const own = addOns
        .list()
        .filter((addOn) => roleOfAddOn(addOn) === name && isServed(clusters.get(addOn.metadata?.namespace ?? '')));
      const rules = impersonationRules(own);
      if (!semanticEqual(role.rules ?? [], rules)) await roles.replace({ ...role, rules });
      return done;
    },
  });
}

const identityText = (addOn: ManagedClusterAddOn | undefined): string =>
  JSON.stringify(addOn && registeredIdentity(addOn));
