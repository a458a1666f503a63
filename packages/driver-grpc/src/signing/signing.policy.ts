import type { CertificateSigningRequest } from '@flotilla/kube/kinds';
import { signerName } from '../rules.ts';

const minuteMs = 60_000;
/** Clocks of two machines need not agree to the second. */
const backdateMs = 5 * minuteMs;

/** Whether a request waits for a certificate of this signer: it is approved, and neither denied nor failed. */
export function isToSign({ spec, status }: CertificateSigningRequest): boolean {
  const has = (wanted: string) => status?.conditions?.some(({ type }) => type === wanted) === true;
  const isDecided = has('Approved') && !has('Denied') && !has('Failed');
  return spec.signerName === signerName && isDecided && !status?.certificate;
}

/** When a certificate begins and ends, in milliseconds since the epoch: as long as was asked for, and no longer than the signer allows. */
export function lifetime(
  { expirationSeconds }: CertificateSigningRequest['spec'],
  maxLifeMs: number,
  now: number,
): { readonly notBefore: number; readonly notAfter: number } {
  const askedMs = (expirationSeconds ?? Number.POSITIVE_INFINITY) * 1000;
  return { notBefore: now - backdateMs, notAfter: now + Math.min(askedMs, maxLifeMs) };
}
