import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { KubeError } from '@flotilla/kube';
import { CompactSign, compactVerify, errors, exportJWK, type JWK } from 'jose';

/** Signs and checks JSON web tokens with one key. */
export interface SigningKey {
  /** A digest of the public key: tokens name the key they were signed with. */
  readonly id: string;
  readonly algorithm: 'ES256' | 'RS256';
  sign(claims: object): Promise<string>;
  /** The claims, or undefined if the signature is not of this key. */
  verify(token: string): Promise<unknown>;
  /** The public half, as a JSON web key set has it. */
  publicJwk(): Promise<JWK>;
}

/** A key from its PEM: P-256 or RSA. */
export function createSigningKey(pem: string): SigningKey {
  const privateKey = createPrivateKey(pem);
  const publicKey = createPublicKey(privateKey);
  const algorithm = algorithmOf(privateKey);
  const id = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
  return {
    id,
    algorithm,
    sign: (claims) =>
      new CompactSign(Buffer.from(JSON.stringify(claims)))
        .setProtectedHeader({ alg: algorithm, kid: id })
        .sign(privateKey),
    async verify(token) {
      try {
        const { payload } = await compactVerify(token, publicKey, { algorithms: [algorithm] });
        return JSON.parse(Buffer.from(payload).toString('utf8'));
      } catch (error) {
        if (error instanceof errors.JOSEError || error instanceof SyntaxError) return undefined;
        throw error;
      }
    },
    publicJwk: async () => ({ use: 'sig', kid: id, alg: algorithm, ...(await exportJWK(publicKey)) }),
  };
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SigningKey['algorithm'] {
  if (asymmetricKeyType === 'rsa') return 'RS256';
  if (asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1') return 'ES256';
  throw new KubeError('Config', `a ${asymmetricKeyType} key cannot sign service account tokens`, {
    hint: 'Use an RSA key, or an EC key on the curve P-256.',
  });
}
