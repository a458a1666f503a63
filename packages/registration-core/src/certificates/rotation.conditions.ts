import { ManagedClusterCondition, ManagedClusterReason } from '@flotilla/api-types';
import type { DriverCondition } from '../contract/index.ts';
import type { CertificateChain } from './certificate-chain.ts';

const type = ManagedClusterCondition.CertificateRotated;
const reasons = ManagedClusterReason.CertificateRotated;

/** As Go prints a time: `2026-01-02 03:04:05 +0000 UTC`. */
const goTime = (epochMs: number): string =>
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
