import { Annotation, ManagedClusterCondition, ManagedClusterReason } from '@flotilla/api-types';
import type { EpochMs } from '@flotilla/kube/clock';
import type { CertificateSigningRequest } from '@flotilla/kube/kinds';
import type { DriverCondition } from '../contract/index.ts';
import type { CertificateChain } from './certificate-chain.ts';
import { grpcServerUser } from './requester.ts';

const type = ManagedClusterCondition.CertificateRotated;
const reasons = ManagedClusterReason.CertificateRotated;

/** As Go prints a time: `2026-01-02 03:04:05 +0000 UTC`. */
const goTime = (epochMs: EpochMs): string =>
  `${new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC`;

/** A new certificate was issued. */
export const rotated = ({ notBefore, notAfter }: Omit<CertificateChain, 'certificates'>): DriverCondition => ({
  type,
  status: 'True',
  reason: reasons.ClientCertificateUpdated,
  message: `client certificate rotated starting from ${goTime(notBefore)} to ${goTime(notAfter)}`,
});

/** There is no new certificate, and why. */
export const notRotated = (message: string): DriverCondition => ({
  type,
  status: 'False',
  reason: reasons.ClientCertificateUpdateFailed,
  message,
});

/** Why a renewal is not decided about, as far as the request shows it. */
export function undecidedMessage({ metadata, spec }: CertificateSigningRequest): string {
  const waits = `request ${metadata?.name} for the next certificate waits for approval on the hub`;
  const isForwarded = metadata?.annotations?.[Annotation.CsrUser] !== undefined && spec.username !== grpcServerUser;
  return isForwarded
    ? `${waits}: ${spec.username} sent it. If the gRPC server of the hub runs as that user, start the hub with ` +
        `--grpc-server-users=${spec.username}`
    : `${waits}. The log of the hub says why it is not approved automatically`;
}
