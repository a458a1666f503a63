// The cluster

export type { AuditEvent } from './cluster/audit.ts';
export type { Cluster } from './cluster/cluster.ts';
export type { Flags } from './cluster/flags.ts';
export type { KubectlOptions, KubectlResult } from './cluster/kubectl.ts';
export { flotillaCrds, loadCrds } from './cluster/load-crds.ts';
export type { StartClusterOptions } from './cluster/options.ts';
export { startCluster } from './cluster/start-cluster.ts';
export { EnvtestError, type EnvtestErrorCode, envtestErrorCodes } from './errors.ts';
export type { Component } from './processes/component.ts';

// Who talks to it

export type { KeyPair } from '@flotilla/kube/pki';
export type { Identity } from './access/identity.ts';
export type { BootstrapTokenOptions, ServiceAccountTokenOptions, TokenIdentity } from './access/tokens.ts';
export type { UserOptions } from './access/users.ts';

// Admission

export type { AdmissionDecision, AdmissionRequest } from '@flotilla/kube/admission';
export type { Webhook, WebhookOptions } from './admission/webhook.ts';
export type { WebhookRegistration, WebhookRule } from './admission/webhook-configuration.ts';

// Faults

export { type Relay, startRelay } from './faults/relay.ts';
export type { ServingRotation, ServingRotationOptions } from './faults/rotation.ts';

// Binaries

export type { Binaries, BinaryName, BinaryOrigin } from './binaries/binaries.ts';
export type { DownloadHosts } from './binaries/download.ts';
export { type EnsureBinariesOptions, ensureBinaries, findBinaries } from './binaries/ensure-binaries.ts';
export {
  type CachedGoPrograms,
  type EnsureGoProgramsOptions,
  ensureGoPrograms,
} from './binaries/ensure-go-programs.ts';
export type { GoPrograms } from './binaries/go-build.ts';

// For programs beside the control plane

export { findFreePort } from './processes/free-port.ts';
