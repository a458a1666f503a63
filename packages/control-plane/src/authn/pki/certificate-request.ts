import { KubeError } from '@flotilla/kube';
import { decodeCertificateRequest, loadX509 } from '@flotilla/kube/pki';
import { firstPemBlock } from '@flotilla/schema';
import type { Pkcs10CertificateRequest, SubjectAlternativeNameExtension } from '@peculiar/x509';

/** A decoded certificate request. */
export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
  /** As the library decoded it, for signing. */
  readonly decoded: Pkcs10CertificateRequest;
  readonly alternativeNames?: SubjectAlternativeNameExtension;
}

/** Decodes a PEM request and checks that whoever made it holds the key; throws KubeError `BadRequest` otherwise. */
export async function parseCertificateRequest(pem: string): Promise<CertificateRequest> {
  const block = firstPemBlock(pem);
  if (block?.type !== 'CERTIFICATE REQUEST') {
    throw new KubeError('BadRequest', 'PEM block type must be CERTIFICATE REQUEST', {
      hint: 'Give the request whole in PEM form.',
    });
  }
  const x509 = await loadX509();
  const decoded = await decodeCertificateRequest(block.body);
  const alternativeNames = decoded.extensions.find(
    (extension) => extension instanceof x509.SubjectAlternativeNameExtension,
  );
  const names = alternativeNames?.names.items ?? [];
  const ofType = (type: string): string[] => names.filter((name) => name.type === type).map(({ value }) => value);
  return {
    commonName: decoded.subjectName.getField('CN').at(-1) ?? '',
    organizations: decoded.subjectName.getField('O'),
    dnsNames: ofType('dns'),
    ipAddresses: ofType('ip'),
    emailAddresses: ofType('email'),
    uris: ofType('url'),
    decoded,
    ...(alternativeNames && { alternativeNames }),
  };
}
