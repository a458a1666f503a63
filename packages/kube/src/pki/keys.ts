import { createPrivateKey, KeyObject, webcrypto } from 'node:crypto';
import { KubeError } from '../errors/kube-error.ts';
import { keyAlgorithm } from './x509.ts';

/** A new key pair that can be exported. */
export const generateKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']);

/** A private key as PEM. */
export const exportKey = (key: webcrypto.CryptoKey): string =>
  KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString();

/** The PEM key of an authority, ready to sign: an EC key, or an RSA key as other programs make it. */
export function importSigningKey(pem: string): webcrypto.CryptoKey {
  const key = createPrivateKey(pem);
  return key.toCryptoKey(algorithmOf(key), false, ['sign']);
}

/** Names of OpenSSL's curves in Web Crypto. */
const curves: Readonly<Record<string, string>> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };

function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject) {
  if (type === 'rsa') return { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const namedCurve = curves[details?.namedCurve ?? ''];
  if (namedCurve) return { name: 'ECDSA', namedCurve };
  throw new KubeError('Config', `a key of type ${type} cannot sign certificates here`, {
    hint: 'Use an RSA key, or an EC key on the curve P-256, P-384 or P-521.',
  });
}

/** How a key of an authority signs. */
export const signingAlgorithmOf = ({ algorithm }: webcrypto.CryptoKey): typeof algorithm & { hash: string } => ({
  ...algorithm,
  hash: 'SHA-256',
});
