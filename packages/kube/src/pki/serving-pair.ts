import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { certificateBlocks } from '@flotilla/schema';
import { backdateMs, createAuthority, issueCertificate, type KeyPair } from './authority.ts';

/** What a server serves with: the pair, and the authorities by which callers verify it, all PEM. */
export interface ServingPair extends KeyPair {
  readonly ca: string;
}

/**
 * Makes a certificate for hosts, signed by an authority of its own whose key is discarded at once, so that it can never sign
 * another certificate that callers would trust. `previous` authorities that are still valid stay in the bundle, so that
 * a server that has not yet changed over is trusted too.
 */
export async function makeServingPair(
  hosts: readonly string[],
  { now, lifeMs, previous = '' }: { now: number; lifeMs: number; previous?: string },
): Promise<ServingPair> {
  const clock = { now: () => now };
  const name = 'flotilla-serving';
  const authority = await createAuthority(`${name}-${randomBytes(4).toString('hex')}`, clock, { ttlMs: lifeMs });
  const pair = await issueCertificate(authority, { usage: 'server', name, hosts, ttlMs: lifeMs }, clock);
  return { ...pair, ca: [authority.certificate, ...validCertificates(previous, now)].join('') };
}

/** When a pair should be replaced: after two thirds of its life; undefined if it cannot be used for these hosts now. */
export function renewalTime(pair: ServingPair, hosts: readonly string[], now: number): number | undefined {
  const leaf = parsed(pair.certificate);
  if (!leaf?.validFromDate || !isKeyOf(leaf, pair.key)) return undefined;
  if (!hosts.every((host) => (isIP(host) ? leaf.checkIP(host) : leaf.checkHost(host)))) return undefined;
  const issued = validCertificates(pair.ca, now).some((authority) =>
    leaf.verify(new X509Certificate(authority).publicKey),
  );
  // From when it was made: a short life would be over by two thirds at once if it began when the certificate is valid from.
  const [from, to] = [leaf.validFromDate.getTime() + backdateMs, leaf.validToDate.getTime()];
  if (!issued || now >= to) return undefined;
  return from + ((to - from) * 2) / 3;
}

/** The certificates of a PEM text that have not ended, each with a line end. */
export function validCertificates(bundle: string, now: number): string[] {
  return certificateBlocks(bundle)
    .map((block) => `${block}\n`)
    .filter((block) => (parsed(block)?.validToDate.getTime() ?? 0) > now);
}

function parsed(certificate: string): X509Certificate | undefined {
  try {
    return new X509Certificate(certificate);
  } catch {
    return undefined;
  }
}

function isKeyOf(certificate: X509Certificate, key: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}
