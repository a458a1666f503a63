import { createPrivateKey, randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import type { Clock } from '@flotilla/kube';
import type { Extension, JsonNameParams } from '@peculiar/x509';
import { keyAlgorithm, loadX509 } from './x509.ts';

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  certificate: string;
  key: string;
}

/** What a leaf certificate is for: a server is known by its hosts, a client by its user name and groups. */
export type CertificateRequest =
  | { usage: 'server'; hosts: readonly string[]; ttlMs?: number }
  | { usage: 'client'; name: string; groups?: readonly string[]; ttlMs?: number };

/** A certificate authority that signs leaf certificates. */
export interface CertificateAuthority extends KeyPair {
  issue(request: CertificateRequest): Promise<KeyPair>;
}

const dayMs = 24 * 60 * 60 * 1000;
/** Certificates start a little in the past, so that the clocks of two processes need not agree to the millisecond. */
const backdateMs = 60 * 1000;

/** Makes a self-signed authority, valid for ten years. */
export async function createAuthority(name: string, clock: Clock): Promise<CertificateAuthority> {
  const x509 = await loadX509();
  const keys = await webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [name] }],
    keys,
    serialNumber: serialNumber(),
    signingAlgorithm: keyAlgorithm,
    notBefore: new Date(clock.now() - backdateMs),
    notAfter: new Date(clock.now() + 3650 * dayMs),
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return loadAuthority({ certificate: toPem(certificate), key: await exportKey(keys.privateKey) }, clock);
}

/** An authority from its PEM files, for a cluster that is started again on the same data. */
export function loadAuthority(pair: KeyPair, clock: Clock): CertificateAuthority {
  return { ...pair, issue: (request) => issue(pair, request, clock) };
}

async function issue(authority: KeyPair, request: CertificateRequest, clock: Clock): Promise<KeyPair> {
  const x509 = await loadX509();
  const issuer = new x509.X509Certificate(authority.certificate);
  const signingKey = await importKey(authority.key);
  const keys = await webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']);
  const usage = request.usage === 'server' ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth;
  const extensions: Extension[] = [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([usage]),
    await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
  ];
  if (request.usage === 'server') {
    extensions.push(
      new x509.SubjectAlternativeNameExtension(
        request.hosts.map((host) => ({ type: isIP(host) ? 'ip' : 'dns', value: host })),
      ),
    );
  }
  const certificate = await x509.X509CertificateGenerator.create({
    subject: new x509.Name(subjectOf(request)),
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey,
    serialNumber: serialNumber(),
    signingAlgorithm: keyAlgorithm,
    notBefore: new Date(clock.now() - backdateMs),
    notAfter: new Date(clock.now() + (request.ttlMs ?? 365 * dayMs)),
    extensions,
  });
  return { certificate: toPem(certificate), key: await exportKey(keys.privateKey) };
}

function subjectOf(request: CertificateRequest): JsonNameParams {
  // A plain string would be read as RFC 4514 text, in which backslashes and a leading # mean something.
  const literal = (text: string) => [{ utf8String: text }];
  if (request.usage === 'server') return [{ CN: literal(request.hosts[0] ?? 'localhost') }];
  return [...(request.groups ?? []).map((group) => ({ O: literal(group) })), { CN: literal(request.name) }];
}

/** Positive and never zero, as RFC 5280 asks. */
const serialNumber = () => `01${randomBytes(15).toString('hex')}`;

const toPem = (certificate: { toString(format: 'pem'): string }) => `${certificate.toString('pem').trim()}\n`;

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    .export({ type: 'pkcs8', format: 'pem' })
    .toString();
}

async function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' });
  return webcrypto.subtle.importKey('pkcs8', new Uint8Array(der), keyAlgorithm, false, ['sign']);
}
