import {
  ApiGroup,
  type ManagedCluster,
  type ManagedClusterAddOn,
  RegistrationDriverName,
  registeredIdentity,
} from '@flotilla/api-types';
import { declaredAuthType, type PolicyRule } from '@flotilla/registration-core/contract';

/** Whether the agent of a cluster may have its add-ons reach the hub by gRPC. */
export const isServed = (cluster: ManagedCluster | undefined): boolean =>
  !!cluster?.spec?.hubAcceptsClient && declaredAuthType(cluster) === RegistrationDriverName.Grpc;

/** What the gRPC server needs to act for add-ons, and for no other user. */
export function impersonationRules(addOns: readonly ManagedClusterAddOn[]): PolicyRule[] {
  const identities = addOns.flatMap((addOn) => {
    const registered = registeredIdentity(addOn);
    return registered && 'identity' in registered ? [registered.identity] : [];
  });
  const users = identities.map(({ user }) => user);
  const groups = identities.flatMap((identity) => identity.groups);
  return [...impersonate('users', users), ...impersonate('groups', groups)];
}

/** A rule without names would be one for all. */
const impersonate = (resource: string, names: readonly string[]): PolicyRule[] =>
  names.length === 0
    ? []
    : [
        {
          apiGroups: [ApiGroup.Core],
          resources: [resource],
          verbs: ['impersonate'],
          resourceNames: [...new Set(names)].sort(),
        },
      ];
