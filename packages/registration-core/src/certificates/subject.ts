import { CertificateName, GroupName, UserName } from '@flotilla/api-types';
import type { AddonRegistration, AgentIdentity } from '../contract/index.ts';

/** Who a certificate says that its holder is. */
export interface CertificateSubject {
  /** Common name: the user. */
  readonly user: string;
  /** Organizations: the groups. */
  readonly groups: readonly string[];
  readonly organizationUnits: readonly string[];
  readonly dnsNames: readonly string[];
}

/** The agent of a cluster. */
export const clusterSubject = ({ clusterName, agentName }: AgentIdentity): CertificateSubject => ({
  user: UserName.Agent.of({ cluster: clusterName, agent: agentName }),
  groups: [GroupName.Cluster.of({ cluster: clusterName }), GroupName.ManagedClusters],
  organizationUnits: [],
  dnsNames: [],
});

/** The agent of an add-on. Where the registration has no user, the names are OCM's; a custom signer is given no groups by default. */
export function addonSubject(clusterName: string, registration: AddonRegistration): CertificateSubject {
  const { addonName, type, user, groups } = registration;
  const names = { cluster: clusterName, addOn: addonName };
  const isDefaultGroup = type === 'kubeClient' && groups.length === 0;
  return {
    user: user || UserName.AddOnAgent.of({ ...names, agent: addonName }),
    groups: isDefaultGroup ? [GroupName.ClusterAddOn.of(names)] : groups,
    organizationUnits: type === 'customSigner' ? registration.organizationUnits : [],
    dnsNames: [CertificateName.AddOnDns.of({ addOn: addonName })],
  };
}
