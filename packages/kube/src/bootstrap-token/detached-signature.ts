import { createHmac, timingSafeEqual } from 'node:crypto';
import type { BootstrapToken } from './token.ts';

/** The key of a ConfigMap `cluster-info` with the signature of a token. */
export const signatureKey = ({ id }: Pick<BootstrapToken, 'id'>): string => `${signaturePrefix}${id}`;

/** Which keys of `cluster-info` are signatures. */
export const signaturePrefix = 'jws-kubeconfig-';

const encode = (text: string): string => Buffer.from(text).toString('base64url');

/**
 * A JSON Web Signature (HS256) without its content, which is beside it. Byte for byte what the bootstrap signer of Kubernetes
 * writes, so that two signers do not undo each other's work.
 */
export function signDetached(content: string, { id, secret }: BootstrapToken): string {
  const header = encode(JSON.stringify({ alg: 'HS256', kid: id }));
  const signature = createHmac('sha256', secret)
    .update(`${header}.${encode(content)}`)
    .digest('base64url');
  return `${header}..${signature}`;
}

/** Whether a holder of the token signed this content. Another algorithm or key id is another text, and refused. */
export function isSignedBy(content: string, signature: string, token: BootstrapToken): boolean {
  const [expected, given] = [Buffer.from(signDetached(content, token)), Buffer.from(signature)];
  return expected.length === given.length && timingSafeEqual(expected, given);
}
