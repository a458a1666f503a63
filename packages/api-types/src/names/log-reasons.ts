import { formatted } from './composed.ts';
import { constantsOf, type NameTable } from './name-table.ts';

export const logReasonTable = {
  ManagedClusterAccepted: { value: 'ManagedClusterAccepted', on: ['ManagedCluster'], meaning: 'Accepted by the hub.' },
  ManagedClusterDenied: { value: 'ManagedClusterDenied', on: ['ManagedCluster'], meaning: 'Denied by the hub.' },
  ManagedClusterCsrAutoApproved: {
    value: 'ManagedClusterCSRAutoApproved',
    on: ['CertificateSigningRequest'],
    meaning: 'A renewal was approved.',
  },
  ManagedClusterAutoApproved: {
    value: 'ManagedClusterAutoApproved',
    on: ['CertificateSigningRequest'],
    meaning: 'The first request of a configured identity was approved.',
  },
  ClockSyncedConditionUpdated: {
    value: 'ManagedClusterClockSyncedConditionUpdated',
    on: ['ManagedCluster'],
    meaning: 'The clocks came together or apart.',
  },
  AvailableConditionUpdated: {
    value: 'ManagedClusterConditionAvailableUpdated',
    on: ['ManagedCluster'],
    meaning: 'Taints followed availability.',
  },
  DefaultSetCreated: { value: 'DefaultManagedClusterSetCreated', on: ['ManagedClusterSet'], meaning: 'Made anew.' },
  DefaultSetRolledBack: {
    value: 'DefaultManagedClusterSetSpecRollbacked',
    on: ['ManagedClusterSet'],
    meaning: 'Its selector was restored.',
  },
  GlobalSetCreated: { value: 'GlobalManagedClusterSetCreated', on: ['ManagedClusterSet'], meaning: 'Made anew.' },
  GlobalSetRolledBack: {
    value: 'GlobalManagedClusterSetSpecRollbacked',
    on: ['ManagedClusterSet'],
    meaning: 'Its selector was restored.',
  },
  ManagedNamespacesUpdated: {
    value: 'ManagedNamespacesUpdated',
    on: ['ManagedCluster'],
    meaning: 'The managed namespaces changed.',
  },
  AddOnStatusUpdated: {
    value: 'ManagedClusterAddOnStatusUpdated',
    on: ['ManagedClusterAddOn'],
    meaning: 'The availability of an add-on changed.',
  },
  ManagedClusterImported: { value: 'ManagedClusterImported', on: ['ManagedCluster'], meaning: 'An import was tried.' },
  ResourceCleanupFail: { value: 'ResourceCleanupFail', on: ['ManagedCluster'], meaning: 'Emptying failed.' },
  ResourceCleanupCompleted: { value: 'ResourceCleanupCompleted', on: ['ManagedCluster'], meaning: 'Emptied.' },
  ClusterProfileStatusUpdated: { value: 'ClusterProfileStatusUpdated', on: ['ClusterProfile'], meaning: 'Filled.' },
  BootstrapSelected: { value: 'BootstrapSelected', on: [], meaning: 'One of several hubs was chosen.' },
  HubClientConfigReady: { value: 'HubClientConfigReady', on: [], meaning: 'The credential is there.' },
  SecretSave: { value: 'SecretSave', on: ['Secret'], meaning: 'A credential was stored.' },
  CsrCreated: { value: 'CSRCreated', on: ['CertificateSigningRequest'], meaning: 'A certificate was requested.' },
  ClientCertificateCreated: { value: 'ClientCertificateCreated', on: ['Secret'], meaning: 'A certificate came.' },
  ClientCertificateCreationHalted: {
    value: 'ClientCertificateCreationHalted',
    on: ['CertificateSigningRequest'],
    meaning: 'Too many requests are there already.',
  },
  CertificateValidationFailed: {
    value: 'CertificateValidationFailed',
    on: ['Secret'],
    meaning: 'The stored certificate cannot be read.',
  },
  NoValidCertificateFound: {
    value: 'NoValidCertificateFound',
    on: ['Secret'],
    meaning: 'The stored certificate has expired or is for another subject.',
  },
  AdditionalSecretDataChanged: {
    // Upstream misspells it so, and log searches rely on it.
    value: 'AdditonalSecretDataChanged',
    on: ['Secret'],
    meaning: 'What is stored beside the certificate is out of date.',
  },
  CertificateRotationStarted: {
    value: 'CertificateRotationStarted',
    on: ['Secret'],
    meaning: 'The certificate ends soon.',
  },
  EksRegistrationRequestApproved: {
    value: 'EKSRegistrationRequestApproved',
    on: ['ManagedCluster'],
    meaning: 'The hub accepted a cluster of the awsirsa driver.',
  },
  AddOnTokenRefreshed: { value: 'AddonTokenRefreshed', on: ['Secret'], meaning: 'An add-on has a new token.' },
  ManagedClusterCreated: { value: 'ManagedClusterCreated', on: ['ManagedCluster'], meaning: 'The agent created it.' },
  LeaseUpdateStarted: { value: 'ManagedClusterLeaseUpdateStarted', on: ['Lease'], meaning: 'Heartbeats began.' },
  // The missing letter is upstream's.
  LeaseUpdateStopped: { value: 'ManagedClusterLeaseUpdateStoped', on: ['Lease'], meaning: 'Heartbeats ended.' },
  ManagedClusterIsNotAccepted: {
    value: 'ManagedClusterIsNotAccepted',
    on: ['ManagedCluster'],
    meaning: 'The agent waits for the hub to accept it; also logged when it has not joined.',
  },
  CustomClusterClaimsTruncated: {
    value: 'CustomClusterClaimsTruncated',
    on: ['ManagedCluster'],
    meaning: 'There are more custom claims than may be reported.',
  },
  ClockOutOfSync: { value: 'ClockOutOfSync', on: ['ManagedCluster'], meaning: 'The agent writes no status for it.' },
  NamespaceApplied: { value: 'NamespaceApplied', on: ['Namespace'], meaning: 'A namespace became managed.' },
  NamespaceUnmanaged: { value: 'NamespaceUnmanaged', on: ['Namespace'], meaning: 'A namespace is managed no more.' },
  ObjectChanged: formatted('{kind}{outcome}', ['*'], 'Something was applied or deleted.', {
    kind: '[A-Z][A-Za-z]*',
    outcome: 'Created|Updated|Deleted|CreateFailed|UpdateFailed|DeleteFailed',
  }),
} as const satisfies NameTable;

/** Reasons in log lines that upstream's controllers call events; no Event object is made for them. */
export const LogReason = /* @__PURE__ */ constantsOf(logReasonTable);
