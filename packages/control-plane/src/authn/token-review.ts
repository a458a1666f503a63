import type { Backend } from '../contracts/backend.ts';
import type { Call, Outcome } from '../contracts/call.ts';
import type { VerbHandler } from '../contracts/handlers.ts';
import type { UserInfo } from '../contracts/user-info.ts';
import { badRequest } from '../errors/api-errors.ts';
import type { AnyObject } from '../verbs/prepare.ts';
import { requireCreate, virtualCreate } from '../verbs/virtual.ts';
import type { TokenAuthenticator } from './tokens/token-authenticator.ts';

/** TokenReview: whose token is this? */
export function tokenReview(tokens: TokenAuthenticator, ownAudiences: readonly string[]): VerbHandler {
  return (backend, verb, call) => {
    if (call.info.group !== 'authentication.k8s.io' || call.info.plural !== 'tokenreviews') return undefined;
    requireCreate(verb, call);
    return review(tokens, ownAudiences, backend, call);
  };
}

async function review(
  tokens: TokenAuthenticator,
  ownAudiences: readonly string[],
  backend: Backend,
  call: Call,
): Promise<Outcome> {
  const { object, admit } = await virtualCreate(backend, call);
  const spec: { token?: string; audiences?: readonly string[] } = object.spec ?? {};
  if (!spec.token) throw badRequest('token is required for TokenReview in authentication');
  await admit(object);
  const asked = spec.audiences && spec.audiences.length > 0 ? spec.audiences : ownAudiences;
  const answer = await tokens(spec.token, asked);
  const status =
    'user' in answer
      ? { authenticated: true, user: reviewedUserInfo(answer.user), audiences: answer.audiences }
      : { user: {}, error: answer.error };
  const reviewed: AnyObject = { ...object, status };
  return { kind: 'object', status: 201, object: reviewed };
}

/** A user as the API shows it. */
export const reviewedUserInfo = ({ name, uid, groups, extra }: UserInfo): object => ({
  ...(name !== '' && { username: name }),
  ...(uid && { uid }),
  ...(groups.length > 0 && { groups }),
  ...(extra && Object.keys(extra).length > 0 && { extra }),
});
