import { DataKey } from '@flotilla/api-types';
import type { EpochMs } from '@flotilla/kube/clock';
import type { CredentialReason, CredentialState, StoredCredentials } from '../contract/index.ts';
import { matchesKey, namesSubject, readChain } from './certificate-chain.ts';
import type { CertificateSubject } from './subject.ts';

const unusable = (reason: CredentialReason, message: string): CredentialState => ({ usable: false, reason, message });

/** Whether stored credentials hold a certificate of this subject, with its key, that has not ended. */
export function evaluateCertificate(
  stored: StoredCredentials,
  subject: CertificateSubject,
  now: EpochMs,
): CredentialState {
  const { TlsCertificate, TlsKey } = DataKey;
  const key = stored[TlsKey];
  if (!key) return unusable('Missing', `there is no ${TlsKey}`);
  if (!stored[TlsCertificate]) return unusable('Missing', `there is no ${TlsCertificate}`);
  const chain = readChain(stored[TlsCertificate]);
  if (!chain) return unusable('Malformed', `there is no certificate in ${TlsCertificate}`);
  if (!namesSubject(chain, subject)) {
    return unusable('OtherIdentity', `the certificate is not that of ${subject.user} in its groups`);
  }
  if (!matchesKey(chain, key)) return unusable('Malformed', `${TlsKey} is not the key of ${TlsCertificate}`);
  if (chain.notAfter < now) {
    return unusable('Expired', `the certificate ended at ${new Date(chain.notAfter).toISOString()}`);
  }
  return { usable: true, expiresAt: chain.notAfter };
}
