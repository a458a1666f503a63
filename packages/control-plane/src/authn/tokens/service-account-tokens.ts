import { createHash } from 'node:crypto';
import type { Clock } from '@flotilla/kube';
import { serviceAccountGroups, serviceAccountUser } from '../../contracts/service-account-name.ts';
import type { Storage } from '../../contracts/storage.ts';
import { credentialIdKey, type UserInfo } from '../../contracts/user-info.ts';
import { goQuoteList } from '../../errors/go-text.ts';
import { claimError } from './claim-check.ts';
import type { SigningKey } from './signing-key.ts';
import { type ObjectClaim, peek, type TokenClaims } from './token-claims.ts';
import type { TokenVerifier } from './token-verification.ts';

export interface ServiceAccountTokenOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly key: SigningKey;
  readonly issuer: string;
  /** Who the API server is, for tokens that name no audience. */
  readonly audiences: readonly string[];
  readonly newUid: () => string;
}

export interface TokenSubject {
  readonly namespace: string;
  readonly serviceAccount: ObjectClaim;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  /** A token becomes invalid with the object that it is bound to. The node of a pod is only recorded. */
  readonly pod?: ObjectClaim;
  readonly secret?: ObjectClaim;
  readonly node?: ObjectClaim;
}

export interface ServiceAccountTokens {
  readonly issuer: string;
  readonly audiences: readonly string[];
  issue(subject: TokenSubject): Promise<string>;
  readonly verify: TokenVerifier;
}

/** Size of the cache of verified signatures. Claims are checked for each request. */
const maxRemembered = 1000;

/** Tokens of service accounts: signed, for certain audiences, ending, and bound to objects that must still be there. */
export function createServiceAccountTokens(options: ServiceAccountTokenOptions): ServiceAccountTokens {
  const { clock, key, issuer, audiences, newUid, storage } = options;
  const remembered = new Map<string, TokenClaims>();

  const claimsOf = async (token: string): Promise<TokenClaims | undefined> => {
    const digest = createHash('sha256').update(token).digest('base64');
    const known = remembered.get(digest);
    if (known) return known;
    const claims = (await key.verify(token)) as TokenClaims | undefined;
    if (!claims) return undefined;
    const [oldest] = remembered.keys();
    if (remembered.size >= maxRemembered && oldest !== undefined) remembered.delete(oldest);
    remembered.set(digest, claims);
    return claims;
  };

  return {
    issuer,
    audiences,
    issue(subject) {
      const now = Math.floor(clock.now() / 1000);
      const { namespace, serviceAccount, pod, secret, node } = subject;
      const claims: TokenClaims = {
        aud: subject.audiences,
        exp: now + subject.expirationSeconds,
        iat: now,
        iss: issuer,
        jti: newUid(),
        'kubernetes.io': {
          namespace,
          ...(node && { node }),
          ...(pod && { pod }),
          ...(secret && { secret }),
          serviceaccount: serviceAccount,
        },
        nbf: now,
        sub: serviceAccountUser(namespace, serviceAccount.name),
      };
      return key.sign(claims);
    },
    async verify(token, asked) {
      const header = peek(token);
      if (header?.iss !== issuer) return undefined;
      if (header.kid !== undefined && header.kid !== key.id) return { error: 'invalid signature, no keys found' };
      const claims = await claimsOf(token);
      if (!claims) return { error: 'go-jose/go-jose: error in cryptographic primitive' };
      const fitting = claims.aud.filter((audience) => asked.includes(audience));
      if (fitting.length === 0) {
        const [has, wants] = [goQuoteList(claims.aud), goQuoteList(asked)];
        return { error: `token audiences ${has} is invalid for the target audiences ${wants}` };
      }
      const error = claimError(claims, storage, clock);
      return error === undefined ? { user: userOf(claims), audiences: fitting } : { error };
    },
  };
}

function userOf({ jti, 'kubernetes.io': { namespace, serviceaccount, pod, node } }: TokenClaims): UserInfo {
  return {
    name: serviceAccountUser(namespace, serviceaccount.name),
    groups: serviceAccountGroups(namespace),
    ...(serviceaccount.uid && { uid: serviceaccount.uid }),
    extra: {
      [credentialIdKey]: [`JTI=${jti}`],
      ...(node && { 'authentication.kubernetes.io/node-name': [node.name] }),
      ...(node?.uid && { 'authentication.kubernetes.io/node-uid': [node.uid] }),
      ...(pod && { 'authentication.kubernetes.io/pod-name': [pod.name] }),
      ...(pod?.uid && { 'authentication.kubernetes.io/pod-uid': [pod.uid] }),
    },
  };
}
