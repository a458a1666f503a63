import { AddOnRegistrationDriverName, RegistrationDriverName } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import type { AddonDriver } from '@flotilla/registration-core/contract';

/**
 * Access of add-ons to the API of the hub over the connection of their cluster. In their status it is called as certificates are: the
 * add-on is the same user in the same groups, and the API has no other word for it.
 */
export const grpcAddon: AddonDriver<unknown> = {
  authType: RegistrationDriverName.Grpc,
  statusDriver: AddOnRegistrationDriverName.Csr,
  needsClusterDriver: true,
  supports: (registration) => registration.type === 'kubeClient' && registration.driver === RegistrationDriverName.Grpc,
  create({ clusterDriver, ...context }, registration) {
    const issuer = clusterDriver?.addonIssuer?.(context, registration);
    if (issuer) return issuer;
    throw new KubeError('Config', 'the cluster is not registered over gRPC, so its add-ons cannot use that connection');
  },
};
