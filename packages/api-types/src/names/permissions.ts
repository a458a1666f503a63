import { ApiGroup } from './groups.ts';
import { type KindName, resourceTable } from './resources.ts';

/** What a SubjectAccessReview asks for, without the object's name. */
interface PermissionEntry {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly verb: string;
  readonly on: readonly KindName[];
  readonly meaning: string;
}

/**
 * Rights that OCM checks by itself, because Kubernetes has no request for them.
 * The names of the entries are ours; group, resource, subresource and verb are the wire.
 */
export const Permission = {
  AcceptCluster: {
    group: ApiGroup.Register,
    resource: resourceTable.ManagedCluster.plural,
    subresource: 'accept',
    verb: 'update',
    on: ['ManagedCluster'],
    meaning: 'Set spec.hubAcceptsClient to true.',
  },
  RenewClientCertificate: {
    group: ApiGroup.Register,
    resource: resourceTable.ManagedCluster.plural,
    subresource: 'clientcertificates',
    verb: 'renew',
    on: ['CertificateSigningRequest'],
    meaning: 'Have one’s own client certificate renewed without an administrator; asked without a name.',
  },
  JoinClusterSet: {
    group: ApiGroup.Cluster,
    resource: resourceTable.ManagedClusterSet.plural,
    subresource: 'join',
    verb: 'create',
    on: ['ManagedCluster'],
    meaning: 'Put a cluster into the set or take it out.',
  },
  BindClusterSet: {
    group: ApiGroup.Cluster,
    resource: resourceTable.ManagedClusterSet.plural,
    subresource: 'bind',
    verb: 'create',
    on: ['ManagedClusterSetBinding'],
    meaning: 'Bind the set to a namespace.',
  },
  ExecuteAs: {
    group: ApiGroup.Work,
    resource: resourceTable.ManifestWork.plural,
    verb: 'execute-as',
    on: ['ManifestWork'],
    meaning: 'Let a work be applied by a service account; the name is the user name of that account.',
  },
  CreateToken: {
    group: ApiGroup.Core,
    resource: resourceTable.ServiceAccount.plural,
    subresource: 'token',
    verb: 'create',
    on: ['TokenRequest'],
    meaning: 'Request a token of the service account.',
  },
  SubscribeToken: {
    group: ApiGroup.Core,
    resource: resourceTable.ServiceAccount.plural,
    subresource: 'token',
    verb: 'subscribe',
    on: ['TokenRequest'],
    meaning: 'Receive requested tokens over gRPC.',
  },
  ApproveSigner: {
    group: ApiGroup.Certificates,
    resource: 'signers',
    verb: 'approve',
    on: ['CertificateSigningRequest'],
    meaning: 'Approve requests to the signer named.',
  },
  SignAsSigner: {
    group: ApiGroup.Certificates,
    resource: 'signers',
    verb: 'sign',
    on: ['CertificateSigningRequest'],
    meaning: 'Issue certificates as the signer named.',
  },
  SimulatePlacement: {
    group: ApiGroup.Cluster,
    resource: resourceTable.Placement.plural,
    verb: 'create',
    on: ['Placement'],
    meaning: 'Ask the debug server what a Placement would select.',
  },
} as const satisfies Readonly<Record<string, PermissionEntry>>;
