import type { Clock, Logger } from '@flotilla/kube';
import type { Authorizer } from '../contracts/authorizer.ts';
import type { ApiRequest } from '../contracts/exchange.ts';
import type { Authenticator, PathHandler, VerbHandler } from '../contracts/handlers.ts';
import type { Storage } from '../contracts/storage.ts';
import type { AuthenticateToken, UserInfo } from '../contracts/user-info.ts';
import { createImpersonation } from './impersonation.ts';
import { issuerDiscovery } from './issuer-discovery.ts';
import { createRequestAuthenticator } from './request-authenticator.ts';
import { selfSubjectReview } from './self-subject-review.ts';
import { tokenRequest } from './token-request.ts';
import { tokenReview } from './token-review.ts';
import { bootstrapTokens } from './tokens/bootstrap-tokens.ts';
import { createServiceAccountTokens, type ServiceAccountTokens } from './tokens/service-account-tokens.ts';
import { createSigningKey } from './tokens/signing-key.ts';
import { callerTokens, createTokenAuthenticator, staticTokens } from './tokens/token-authenticator.ts';

export interface AuthnOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: Logger;
  readonly newUid: () => string;
  /** Says who may impersonate whom. */
  readonly authorizer: Authorizer;
  /** PEM; see `createPki`. */
  readonly serviceAccountKey: string;
  /** Who issues service account tokens. */
  readonly issuer?: string;
  /** The audiences of the API server. Default: the issuer. */
  readonly audiences?: readonly string[];
  /** The address of the server; known only once it listens. */
  readonly serverUrl: () => string;
  /** Tokens that are good as long as the server runs, and whose they are: for tests. */
  readonly staticTokens?: Readonly<Record<string, UserInfo>>;
  /** Asked last, about tokens that nothing else accepts. */
  readonly authenticateToken?: AuthenticateToken;
}

/** The authentication parts of a server. */
export interface Authn {
  readonly authenticate: Authenticator;
  readonly impersonate: (request: ApiRequest, user: UserInfo) => UserInfo;
  /** The reviews about users and tokens, and `serviceaccounts/token`; before the generic verbs. */
  readonly verbs: readonly VerbHandler[];
  /** The issuer's keys, for clients that verify tokens themselves. */
  readonly paths: readonly PathHandler[];
  readonly serviceAccountTokens: ServiceAccountTokens;
}

const defaultIssuer = 'https://kubernetes.default.svc';

export function createAuthn(options: AuthnOptions): Authn {
  const { storage, clock, newUid, issuer = defaultIssuer, audiences = [issuer] } = options;
  const key = createSigningKey(options.serviceAccountKey);
  const serviceAccountTokens = createServiceAccountTokens({ storage, clock, key, issuer, audiences, newUid });
  const tokens = createTokenAuthenticator([
    staticTokens(options.staticTokens ?? {}, audiences),
    serviceAccountTokens.verify,
    bootstrapTokens(storage, clock, audiences),
    ...(options.authenticateToken ? [callerTokens(options.authenticateToken, audiences)] : []),
  ]);
  return {
    authenticate: createRequestAuthenticator(tokens, audiences, options.log),
    impersonate: createImpersonation(options.authorizer),
    verbs: [tokenReview(tokens, audiences), selfSubjectReview, tokenRequest(serviceAccountTokens)],
    paths: [issuerDiscovery(key, issuer, options.serverUrl)],
    serviceAccountTokens,
  };
}
