import { type Clock, KubeError } from '@flotilla/kube';
import { certifyRequest, type KeyPair, loadX509 } from '@flotilla/kube/pki';
import type { Extension } from '@peculiar/x509';
import { type CertificateRequest, parseCertificateRequest } from './certificate-request.ts';
import { isKnownSigner, signerError } from './signer-rules.ts';

export interface SignOptions {
  readonly authority: KeyPair;
  /** `spec.request` of a CertificateSigningRequest, decoded from base64: PEM. */
  readonly request: string;
  readonly signerName: string;
  readonly usages: readonly string[];
  readonly expirationSeconds?: number;
  /** The maximum lifetime of a certificate. Default: a year. */
  readonly maxLifeMs?: number;
  readonly clock: Clock;
}

/** `refused` belongs into a condition of type Failed; `ignored` is a request for a signer that is not of this control plane. */
export type SignOutcome =
  | { readonly kind: 'signed'; readonly certificate: string }
  | { readonly kind: 'refused'; readonly reason: 'SignerValidationFailure'; readonly message: string }
  | { readonly kind: 'ignored' };

const minuteMs = 60_000;
const backdateMs = 5 * minuteMs;
const shortLifeMs = 8 * 60 * minuteMs;
const yearMs = 365 * 24 * 60 * minuteMs;

/** Signs an approved request by the rules of its signer, as kube-controller-manager does. Throws KubeError for one that cannot be read. */
export async function signCertificateRequest(options: SignOptions): Promise<SignOutcome> {
  const { signerName, usages } = options;
  if (!isKnownSigner(signerName)) return { kind: 'ignored' };
  const request = await parseCertificateRequest(options.request);
  const message = signerError(signerName, request, usages);
  if (message !== undefined) return { kind: 'refused', reason: 'SignerValidationFailure', message };
  return { kind: 'signed', certificate: await sign(options, request) };
}

async function sign(options: SignOptions, { decoded, alternativeNames }: CertificateRequest): Promise<string> {
  const { authority, clock, usages } = options;
  const x509 = await loadX509();
  const issuer = new x509.X509Certificate(authority.certificate);
  if (clock.now() >= issuer.notAfter.getTime()) {
    throw new KubeError('Config', `the signing certificate ended at ${issuer.notAfter.toISOString()}`, {
      hint: 'Start the control plane again: it replaces certificates that ended.',
    });
  }
  const { keyUsages, extendedKeyUsages } = usagesOf(x509, usages);
  const extensions: Extension[] = [];
  if (keyUsages !== 0) extensions.push(new x509.KeyUsagesExtension(keyUsages, true));
  if (extendedKeyUsages.length > 0) extensions.push(new x509.ExtendedKeyUsageExtension(extendedKeyUsages));
  if (alternativeNames) extensions.push(new x509.SubjectAlternativeNameExtension(alternativeNames.names.toJSON()));
  return certifyRequest(authority, decoded, {
    notBefore: clock.now() - backdateMs,
    notAfter: endOf(options),
    extensions,
  });
}

/** The limit, or what was asked for if that is less, but at least ten minutes. A long life counts from the backdated start, a short one from now. */
function endOf({ clock, expirationSeconds, maxLifeMs = yearMs }: SignOptions): number {
  const askedMs = (expirationSeconds ?? Number.POSITIVE_INFINITY) * 1000;
  const life = askedMs >= maxLifeMs ? maxLifeMs : Math.max(askedMs, 10 * minuteMs);
  return clock.now() + (life < shortLifeMs ? life : life - backdateMs);
}

const extendedUsageIds: Readonly<Record<string, string>> = {
  any: '2.5.29.37.0',
  'server auth': '1.3.6.1.5.5.7.3.1',
  'client auth': '1.3.6.1.5.5.7.3.2',
  'code signing': '1.3.6.1.5.5.7.3.3',
  'email protection': '1.3.6.1.5.5.7.3.4',
  's/mime': '1.3.6.1.5.5.7.3.4',
  'ipsec end system': '1.3.6.1.5.5.7.3.5',
  'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
  'ipsec user': '1.3.6.1.5.5.7.3.7',
  timestamping: '1.3.6.1.5.5.7.3.8',
  'ocsp signing': '1.3.6.1.5.5.7.3.9',
  'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
  'netscape sgc': '2.16.840.1.113730.4.1',
};

/** The usages of the certificates API in X.509's two forms. */
function usagesOf(
  { KeyUsageFlags }: typeof import('@peculiar/x509'),
  usages: readonly string[],
): { keyUsages: number; extendedKeyUsages: string[] } {
  const flags: Readonly<Record<string, number>> = {
    signing: KeyUsageFlags.digitalSignature,
    'digital signature': KeyUsageFlags.digitalSignature,
    'content commitment': KeyUsageFlags.nonRepudiation,
    'key encipherment': KeyUsageFlags.keyEncipherment,
    'key agreement': KeyUsageFlags.keyAgreement,
    'data encipherment': KeyUsageFlags.dataEncipherment,
    'cert sign': KeyUsageFlags.keyCertSign,
    'crl sign': KeyUsageFlags.cRLSign,
    'encipher only': KeyUsageFlags.encipherOnly,
    'decipher only': KeyUsageFlags.decipherOnly,
  };
  const unknown = usages.filter((usage) => flags[usage] === undefined && extendedUsageIds[usage] === undefined);
  if (unknown.length > 0) {
    throw new KubeError('BadRequest', `unrecognized usage values: ${unknown.join(', ')}`);
  }
  return {
    keyUsages: usages.reduce((sum, usage) => sum | (flags[usage] ?? 0), 0),
    extendedKeyUsages: [...new Set(usages.flatMap((usage) => extendedUsageIds[usage] ?? []))].sort(),
  };
}
