import { X509Certificate } from 'node:crypto';

const certificates = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The authorities of a PEM bundle. */
const authoritiesOf = (bundle: string): X509Certificate[] =>
  (bundle.match(certificates) ?? []).map((pem) => new X509Certificate(pem));

/**
 * Whether one of the authorities signed a certificate that was verified when its connection opened, or an authority in between. A connection
 * outlives its handshake, and must not outlive the authority that it depends on.
 */
export function isStillTrusted(certificate: X509Certificate, bundle: string | undefined): boolean {
  const authorities = authoritiesOf(bundle ?? '');
  for (let link: X509Certificate | undefined = certificate; link; link = link.issuerCertificate) {
    const isSigned = (by: X509Certificate) =>
      by.fingerprint256 === link?.fingerprint256 || (link?.checkIssued(by) && link.verify(by.publicKey));
    if (authorities.some(isSigned)) return true;
    if (link.issuerCertificate?.fingerprint256 === link.fingerprint256) return false;
  }
  return false;
}
