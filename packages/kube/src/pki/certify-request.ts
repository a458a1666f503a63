import type { Extension, Pkcs10CertificateRequest } from '@peculiar/x509';
import type { KeyPair } from './authority.ts';
import { importSigningKey, signingAlgorithmOf } from './keys.ts';
import { loadX509, newSerialNumber, toPem } from './x509.ts';

/** What the signer says about a certificate; subject and key are those of the request. */
export interface CertificateTerms {
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  /** Milliseconds since the epoch. The certificate ends with its authority at the latest. */
  readonly notAfter: number;
  /** Beside those that say who signed it, and that it cannot sign others. */
  readonly extensions: readonly Extension[];
}

/** A certificate for the subject and the key of a request, PEM. Whether the request may have it is for the caller to decide. */
export async function certifyRequest(
  authority: KeyPair,
  { subjectName, publicKey }: Pick<Pkcs10CertificateRequest, 'subjectName' | 'publicKey'>,
  { notBefore, notAfter, extensions }: CertificateTerms,
): Promise<string> {
  const x509 = await loadX509();
  const issuer = new x509.X509Certificate(authority.certificate);
  const signingKey = importSigningKey(authority.key);
  const certificate = await x509.X509CertificateGenerator.create({
    subject: subjectName,
    issuer: issuer.subjectName,
    publicKey,
    signingKey,
    signingAlgorithm: signingAlgorithmOf(signingKey),
    serialNumber: newSerialNumber(),
    notBefore: new Date(notBefore),
    notAfter: new Date(Math.min(notAfter, issuer.notAfter.getTime())),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      ...extensions,
    ],
  });
  return toPem(certificate);
}
