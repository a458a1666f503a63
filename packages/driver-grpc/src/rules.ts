import { AddOnRole, ApiGroup, SecretName, Signer } from '@flotilla/api-types';
import { type CertificateRules, certificateRules } from '@flotilla/registration-core/certificates';

/** The signer of the hub itself: its certificates are good for the gRPC server only. */
export const signerName = Signer.Grpc;

const certificates = certificateRules(signerName);

/** What registration by its certificates needs on the hub. */
export const rules: CertificateRules = {
  ...certificates,
  hub: [
    ...certificates.hub,
    // To let the gRPC server act for add-ons; an admission policy bounds what these roles can hold.
    {
      apiGroups: [ApiGroup.Rbac],
      resources: ['clusterroles'],
      verbs: ['escalate'],
      resourceNames: [...AddOnRole.names],
    },
    { apiGroups: [ApiGroup.Certificates], resources: ['certificatesigningrequests/status'], verbs: ['update'] },
    { apiGroups: [ApiGroup.Certificates], resources: ['signers'], verbs: ['sign'], resourceNames: [signerName] },
    {
      apiGroups: [ApiGroup.Core],
      resources: ['secrets'],
      verbs: ['get', 'list', 'watch'],
      resourceNames: [SecretName.Signer],
    },
  ],
};
