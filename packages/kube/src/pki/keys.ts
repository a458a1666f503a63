import { createPrivateKey, webcrypto } from 'node:crypto';
import { keyAlgorithm } from './x509.ts';

/** A new key pair that can be exported. */
export const generateKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']);

/** A private key as PEM. */
export async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    .export({ type: 'pkcs8', format: 'pem' })
    .toString();
}

/** The PEM key of an authority, ready to sign. */
export async function importSigningKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' });
  return webcrypto.subtle.importKey('pkcs8', new Uint8Array(der), keyAlgorithm, false, ['sign']);
}
