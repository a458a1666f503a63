import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, webcrypto } from 'node:crypto';
import { loadX509 } from '@flotilla/kube/pki';
import { keyFingerprint } from './key-fingerprint.ts';
import type { CertificateSubject } from './subject.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A new P-256 key as OCM stores it: PEM `EC PRIVATE KEY` (SEC 1). */
export const createKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'sec1', format: 'pem' }).toString();

/** A PKCS#10 request for the subject, signed with the key: PEM `CERTIFICATE REQUEST`. */
export async function createCertificateRequest(key: string, subject: CertificateSubject): Promise<string> {
  const x509 = await loadX509();
  const privateKey = createPrivateKey(key);
  const extensions =
    subject.dnsNames.length === 0
      ? []
      : [new x509.SubjectAlternativeNameExtension(subject.dnsNames.map((value) => ({ type: 'dns', value })))];
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: [...nameParts('O', subject.groups), ...nameParts('OU', subject.organizationUnits), { CN: [subject.user] }],
    keys: {
      privateKey: await webcrypto.subtle.importKey(
        'pkcs8',
        privateKey.export({ type: 'pkcs8', format: 'der' }),
        algorithm,
        false,
        ['sign'],
      ),
      publicKey: await webcrypto.subtle.importKey(
        'spki',
        createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
        algorithm,
        true,
        ['verify'],
      ),
    },
    signingAlgorithm: algorithm,
    extensions,
  });
  return `${request.toString('pem')}\n`;
}

/** All values of a type are one part of the name, as Go writes it: a SET, which DER wants in the order of its encodings. */
const nameParts = (type: 'O' | 'OU', values: readonly string[]): Record<string, string[]>[] =>
  values.length === 0 ? [] : [{ [type]: values.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1)) }];

/** Whether a text is a private key. */
export function isPrivateKey(text: string): boolean {
  try {
    return createPrivateKey(text).type === 'private';
  } catch {
    return false;
  }
}

/** Whether a PKCS#10 request is for this key: how an agent knows its own request after a restart. */
export async function isRequestFor(pem: string, key: string): Promise<boolean> {
  const x509 = await loadX509();
  try {
    const asked = Buffer.from(new x509.Pkcs10CertificateRequest(pem).publicKey.rawData);
    return asked.equals(spkiOf(key));
  } catch {
    // Any user may label a request as ours, whatever is in it.
    return false;
  }
}

const spkiOf = (key: string): Buffer => createPublicKey(createPrivateKey(key)).export({ type: 'spki', format: 'der' });

/** The fingerprint of the public half of a private key, by which an administrator knows the request of this agent. */
export const fingerprintOf = (key: string): string => keyFingerprint(spkiOf(key));

/** Kubernetes' own alphabet for generated names: no vowels, so no words. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * The end of the name of a request for this key. Always the same, so that a request whose answer was lost is not made twice:
 * the API server says that it is there.
 */
export function nameSuffix(key: string): string {
  const digest = createHash('sha256').update(spkiOf(key)).digest();
  return Array.from(digest.subarray(0, 10), (byte) => alphabet[byte % alphabet.length]).join('');
}
