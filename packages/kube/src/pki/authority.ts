import { createPrivateKey, X509Certificate as NodeCertificate, type webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import type { Extension, JsonName, JsonNameParams, Name, X509Certificate } from '@peculiar/x509';
import type { WallClock } from '../clock/clock.ts';
import { exportKey, generateKeys, importSigningKey } from './keys.ts';
import { keyAlgorithm, loadX509, newSerialNumber, toPem } from './x509.ts';

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** What a leaf certificate is for: a server is known by its hosts, a client by its user name and groups. */
export type LeafRequest =
  | { readonly usage: 'server'; readonly hosts: readonly string[]; readonly name?: string; readonly ttlMs?: number }
  | { readonly usage: 'client'; readonly name: string; readonly groups?: readonly string[]; readonly ttlMs?: number };

const dayMs = 24 * 60 * 60 * 1000;
const authorityLifeMs = 3650 * dayMs;
const leafLifeMs = 365 * dayMs;
/** Certificates start a little in the past, as the clocks of two machines need not agree to the second. */
export const backdateMs = 5 * 60 * 1000;

/** A new self-signed authority, valid for ten years or `ttlMs`. */
export async function createAuthority(
  name: string,
  clock: WallClock,
  { ttlMs = authorityLifeMs }: { readonly ttlMs?: number } = {},
): Promise<KeyPair> {
  const keys = await generateKeys();
  return selfSigned([{ CN: [name] }], { ...keys, key: exportKey(keys.privateKey) }, clock, ttlMs);
}

/**
 * The authority with a new certificate for the same name and key, which begins now and lasts as long as the old one did. Each of the two
 * certificates verifies what was signed before and after, so no client has to know the new one before the old one ends.
 */
export async function renewAuthority({ certificate, key }: KeyPair, clock: WallClock): Promise<KeyPair> {
  const { X509Certificate } = await loadX509();
  const old = new X509Certificate(certificate);
  const keys = { privateKey: importSigningKey(key), publicKey: await old.publicKey.export(), key };
  return selfSigned(old.subjectName, keys, clock, old.notAfter.getTime() - old.notBefore.getTime() - backdateMs);
}

/** Whether the certificate of a pair is for its key. */
export const isPair = ({ certificate, key }: KeyPair): boolean =>
  new NodeCertificate(certificate).checkPrivateKey(createPrivateKey(key));

async function selfSigned(
  name: JsonName | Name,
  keys: webcrypto.CryptoKeyPair & { readonly key: string },
  clock: WallClock,
  ttlMs: number,
): Promise<KeyPair> {
  const x509 = await loadX509();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name,
    keys,
    serialNumber: newSerialNumber(),
    signingAlgorithm: keyAlgorithm,
    notBefore: new Date(clock.now() - backdateMs),
    notAfter: new Date(clock.now() + ttlMs),
    extensions: [
      // It signs leaves, never another authority.
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const authority = { certificate: toPem(certificate), key: keys.key };
  signers.set(authority, await signerOf(certificate, keys.privateKey));
  return authority;
}

/** An authority as the library signs with it. */
interface Signer {
  readonly issuer: X509Certificate;
  readonly key: webcrypto.CryptoKey;
  readonly keyIdentifier: Extension;
}

/** Reading the texts of an authority takes longer than signing. */
const signers = new WeakMap<KeyPair, Signer>();

async function signerOf(issuer: X509Certificate, key: webcrypto.CryptoKey): Promise<Signer> {
  const { AuthorityKeyIdentifierExtension } = await loadX509();
  return { issuer, key, keyIdentifier: await AuthorityKeyIdentifierExtension.create(issuer.publicKey) };
}

async function signerFor(authority: KeyPair): Promise<Signer> {
  const { X509Certificate } = await loadX509();
  const known = signers.get(authority);
  if (known) return known;
  const signer = await signerOf(new X509Certificate(authority.certificate), importSigningKey(authority.key));
  signers.set(authority, signer);
  return signer;
}

/** A certificate with a new key, signed by the authority and valid for a year or `ttlMs`, never longer than the authority. */
export async function issueCertificate(authority: KeyPair, request: LeafRequest, clock: WallClock): Promise<KeyPair> {
  const x509 = await loadX509();
  const { issuer, key, keyIdentifier } = await signerFor(authority);
  const keys = await generateKeys();
  const usage = request.usage === 'server' ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth;
  const extensions: Extension[] = [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([usage]),
    keyIdentifier,
  ];
  if (request.usage === 'server') {
    const names = request.hosts.map((host) => ({ type: isIP(host) ? 'ip' : 'dns', value: host }) as const);
    extensions.push(new x509.SubjectAlternativeNameExtension(names));
  }
  const certificate = await x509.X509CertificateGenerator.create({
    subject: new x509.Name(subjectOf(request)),
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey: key,
    serialNumber: newSerialNumber(),
    signingAlgorithm: keyAlgorithm,
    notBefore: new Date(clock.now() - backdateMs),
    notAfter: new Date(Math.min(clock.now() + (request.ttlMs ?? leafLifeMs), issuer.notAfter.getTime())),
    extensions,
  });
  return { certificate: toPem(certificate), key: exportKey(keys.privateKey) };
}

function subjectOf(request: LeafRequest): JsonNameParams {
  // A plain string would be read as RFC 4514 text, in which backslashes and a leading # mean something.
  const literal = (text: string) => [{ utf8String: text }];
  // A common name has at most 64 characters, which a host may exceed; servers are known by their alternative names.
  if (request.usage === 'server') return [{ CN: literal(request.name ?? 'kube-apiserver') }];
  return [...(request.groups ?? []).map((group) => ({ O: literal(group) })), { CN: literal(request.name) }];
}
