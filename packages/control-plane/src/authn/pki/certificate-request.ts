import { KubeError } from '@flotilla/kube';
import { loadX509 } from '@flotilla/kube/pki';
import type { Pkcs10CertificateRequest, SubjectAlternativeNameExtension } from '@peculiar/x509';

/** What somebody asks to be certified. */
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

const pemForm = /-----BEGIN CERTIFICATE REQUEST-----([\s\S]+?)-----END CERTIFICATE REQUEST-----/;

/** Decodes a PEM request and checks that whoever made it holds the key; throws KubeError `BadRequest` otherwise. */
export async function parseCertificateRequest(pem: string): Promise<CertificateRequest> {
  const body = pemForm.exec(pem)?.[1];
  if (body === undefined) throw refuse('PEM block type must be CERTIFICATE REQUEST');
  const x509 = await loadX509();
  let decoded: Pkcs10CertificateRequest;
  try {
    decoded = new x509.Pkcs10CertificateRequest(Buffer.from(body, 'base64'));
  } catch (error) {
    throw refuse('unable to parse certificate request', error);
  }
  const holdsKey = await decoded.verify().catch(() => false);
  if (!holdsKey) throw refuse('unable to verify certificate request signature');
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

const refuse = (message: string, cause?: unknown): KubeError =>
  new KubeError('BadRequest', message, {
    hint: 'Make the request anew, for example with `openssl req -new`, and give it whole in PEM form.',
    ...(cause !== undefined && { cause }),
  });
