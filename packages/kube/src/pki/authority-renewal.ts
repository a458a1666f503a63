import { X509Certificate } from 'node:crypto';
import { validCertificates } from './serving-pair.ts';

/** A fifth of its life before its end an authority is replaced, as in OCM: what it signed ends with it. */
const replacedAt = 0.8;

/** When an authority is to be replaced; undefined if it cannot be used now. */
export function authorityRenewalTime(certificate: string, now: number): number | undefined {
  const authority = parsed(certificate);
  if (!authority?.validFromDate) return undefined;
  const [from, to] = [authority.validFromDate.getTime(), authority.validToDate.getTime()];
  return now < to && authority.ca ? from + (to - from) * replacedAt : undefined;
}

/** The authorities to trust: this one first, then those of an earlier bundle that have not ended. */
export function trustBundle(authority: string, earlier: string, now: number): string {
  return [...new Set(validCertificates(`${authority}\n${earlier}`, now))].join('');
}

function parsed(certificate: string): X509Certificate | undefined {
  try {
    return new X509Certificate(certificate);
  } catch {
    return undefined;
  }
}
