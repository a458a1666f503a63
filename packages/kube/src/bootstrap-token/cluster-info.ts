import { signatureKey, signaturePrefix, signDetached } from './detached-signature.ts';
import { maySign, type StoredBootstrapToken } from './token-secret.ts';

/** The key of `kube-public/cluster-info` with what is signed. */
export const signedKey = 'kubeconfig';

/**
 * What to change in the data of `cluster-info` so that it is signed by every token that may sign, and by no other: null takes a
 * signature away. Undefined if nothing is to be changed.
 */
export function signatureChanges(
  data: Readonly<Record<string, string>> | null | undefined,
  tokens: readonly StoredBootstrapToken[],
  now: number,
): Record<string, string | null> | undefined {
  const content = data?.[signedKey];
  if (!data || content === undefined) return undefined;
  const signers = tokens.filter((token) => maySign(token, now));
  const wanted = new Map(signers.map((token) => [signatureKey(token), signDetached(content, token)]));
  const obsolete = Object.keys(data).filter((key) => key.startsWith(signaturePrefix) && !wanted.has(key));
  const changes = [
    ...[...wanted].filter(([key, signature]) => data[key] !== signature),
    ...obsolete.map((key) => [key, null] as const),
  ];
  return changes.length > 0 ? Object.fromEntries(changes) : undefined;
}
