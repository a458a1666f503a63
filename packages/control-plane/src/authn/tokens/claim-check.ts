import { type Clock, joinKey } from '@flotilla/kube';
import { parseTime } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import type { Storage } from '../../contracts/storage.ts';
import { goQuote } from '../../errors/go-text.ts';
import type { ObjectClaim, TokenClaims } from './token-claims.ts';

/** Tolerated clock skew between issuer and verifier. */
const leewayMs = 60_000;

/** Why a token with a good signature is refused all the same: its time, or the objects it speaks of. */
export function claimError(claims: TokenClaims, storage: Storage, clock: Clock): string | undefined {
  return timeError(claims, clock.now()) ?? objectError(claims, storage, clock.now());
}

function timeError({ nbf, exp, iat }: TokenClaims, now: number): string | undefined {
  if (now + leewayMs < nbf * 1000) return 'service account token is not valid yet';
  if (now - leewayMs > exp * 1000) return 'service account token has expired';
  return now + leewayMs < iat * 1000 ? 'service account token is issued in the future' : undefined;
}

function objectError(claims: TokenClaims, storage: Storage, now: number): string | undefined {
  const { namespace, serviceaccount, secret, pod, node } = claims['kubernetes.io'];
  const account = storage.get('/serviceaccounts', joinKey(namespace, serviceaccount.name));
  if (!account) return `serviceaccounts ${goQuote(serviceaccount.name)} not found`;
  if (account.metadata?.uid !== serviceaccount.uid) {
    return `service account UID (${account.metadata?.uid}) does not match claim (${serviceaccount.uid})`;
  }
  if (isGone(account, now)) return `service account ${namespace}/${serviceaccount.name} has been deleted`;
  const bound = (kind: string, plural: string, home: string | undefined, claim: ObjectClaim | undefined) =>
    claim && boundObjectError(kind, storage.get(plural, joinKey(home, claim.name)), claim, now);
  return (
    bound('secret', '/secrets', namespace, secret) ??
    bound('pod', '/pods', namespace, pod) ??
    // The node of a pod is only recorded: the token is bound to the pod.
    (pod ? undefined : bound('node', '/nodes', undefined, node))
  );
}

function boundObjectError(kind: string, object: KubeObject | undefined, claim: ObjectClaim, now: number) {
  if (!object) return 'service account token has been invalidated';
  if (object.metadata?.uid !== claim.uid) {
    return `${kind} UID (${object.metadata?.uid}) does not match service account ${kind} ref claim (${claim.uid})`;
  }
  return isGone(object, now) ? 'service account token has been invalidated' : undefined;
}

/** An object that is being deleted counts a little longer, so that what it runs can come to its end. */
const isGone = ({ metadata }: KubeObject, now: number): boolean =>
  (parseTime(metadata?.deletionTimestamp) ?? Number.POSITIVE_INFINITY) < now - leewayMs;
