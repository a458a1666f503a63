import { createPrivateKey, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { exportKey, generateKeys, keyAlgorithm, loadX509, newSerialNumber, toPem } from '../pki/index.ts';

/** What a webhook is served with: the pair, and the authorities by which callers verify it, all PEM. */
export interface ServingPair {
  readonly certificate: string;
  readonly key: string;
  readonly ca: string;
}

/** Clocks of two machines need not agree to the second. */
const backdateMs = 5 * 60_000;

/**
 * Makes a certificate for hosts, signed by an authority of its own whose key is forgotten at once: nobody can ever sign
 * another certificate that callers would trust. `previous` authorities that are still valid stay in the bundle, so that
 * a server that has not yet changed over is trusted too.
 */
export async function makeServingPair(
  hosts: readonly string[],
  { now, lifeMs, previous = '' }: { now: number; lifeMs: number; previous?: string },
): Promise<ServingPair> {
  const x509 = await loadX509();
  const validity = { notBefore: new Date(now - backdateMs), notAfter: new Date(now + lifeMs) };
  const authorityKeys = await webcrypto.subtle.generateKey(keyAlgorithm, false, ['sign', 'verify']);
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=flotilla-webhook-${randomBytes(4).toString('hex')}`,
    keys: authorityKeys,
    serialNumber: newSerialNumber(),
    signingAlgorithm: keyAlgorithm,
    ...validity,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(authorityKeys.publicKey),
    ],
  });
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    // A common name has at most 64 characters; servers are known by their alternative names anyway.
    subject: 'CN=flotilla-webhook',
    issuer: authority.subject,
    publicKey: keys.publicKey,
    signingKey: authorityKeys.privateKey,
    serialNumber: newSerialNumber(),
    signingAlgorithm: keyAlgorithm,
    ...validity,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(hosts.map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value }))),
      await x509.AuthorityKeyIdentifierExtension.create(authorityKeys.publicKey),
    ],
  });
  return {
    certificate: toPem(certificate),
    key: await exportKey(keys.privateKey),
    ca: [toPem(authority), ...validCertificates(previous, now)].join(''),
  };
}

/** When a pair should be replaced: at two thirds of its life; undefined if it cannot be used for these hosts now. */
export function renewalTime(pair: ServingPair, hosts: readonly string[], now: number): number | undefined {
  const leaf = parsed(pair.certificate);
  if (!leaf?.validFromDate || !isKeyOf(leaf, pair.key)) return undefined;
  if (!hosts.every((host) => (isIP(host) ? leaf.checkIP(host) : leaf.checkHost(host)))) return undefined;
  const issued = validCertificates(pair.ca, now).some((authority) =>
    leaf.verify(new X509Certificate(authority).publicKey),
  );
  const [from, to] = [leaf.validFromDate.getTime(), leaf.validToDate.getTime()];
  if (!issued || now >= to) return undefined;
  return from + ((to - from) * 2) / 3;
}

function validCertificates(bundle: string, now: number): string[] {
  const blocks = bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => `${block}\n`).filter((block) => (parsed(block)?.validToDate.getTime() ?? 0) > now);
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
