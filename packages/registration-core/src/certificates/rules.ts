import { ApiGroup } from '@flotilla/api-types';
import type { PolicyRule } from '../contract/index.ts';

/** What registration by certificates needs on the hub. */
export interface CertificateRules {
  /** Of the bootstrap user, beside ManagedClusters. */
  readonly bootstrap: readonly PolicyRule[];
  /** Of the agents of an accepted cluster: ask for certificates, their add-ons' included, and renew their own. */
  readonly cluster: readonly PolicyRule[];
  /** Of the hub's controllers. Kubernetes lets users grant only what they have, so this includes what is granted to clusters. */
  readonly hub: readonly PolicyRule[];
}

const request: PolicyRule = {
  apiGroups: [ApiGroup.Certificates],
  resources: ['certificatesigningrequests'],
  verbs: ['create', 'get', 'list', 'watch'],
};
const renew: PolicyRule = {
  apiGroups: [ApiGroup.Register],
  resources: ['managedclusters/clientcertificates'],
  verbs: ['renew'],
};

/** The permissions for certificates of a signer, which the hub approves. */
export const certificateRules = (signerName: string): CertificateRules => ({
  bootstrap: [request],
  cluster: [request, renew],
  hub: [
    request,
    renew,
    { apiGroups: [ApiGroup.Certificates], resources: ['certificatesigningrequests/approval'], verbs: ['update'] },
    { apiGroups: [ApiGroup.Certificates], resources: ['signers'], verbs: ['approve'], resourceNames: [signerName] },
  ],
});
