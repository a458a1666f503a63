import { createHash } from 'node:crypto';
import type { Clock, KubeClient } from '@flotilla/kube';
import { type MonotonicTime, timeAfter } from '@flotilla/kube/clock';
import { type ReviewedUser, reviewAccess, tokenReviews } from '@flotilla/kube/kinds';
import { isLoopback } from '@flotilla/kube/transport';
import type { ListenAddress } from './listen-address.ts';
import type { Reply, Route, ServedRequest } from './route.ts';

/** Decides about a request: undefined admits it to its route, else this is the answer. */
export type Authorizer = (request: ServedRequest) => Promise<Reply | undefined>;

/** How long a decision is used again. As long as the API server's own delegates do, so that a scrape costs no more. */
const decisionMs = 10_000;
/** A caller with ever new tokens must not fill the memory. */
const maxDecisions = 256;
const call = { deadlineMs: 5000 };

const unauthorized: Reply = {
  status: 401,
  body: 'this path needs a bearer token that the API server of this process accepts\n',
};

/** Who sent a request, or the answer to a caller who is denied. */
export type CallerReview = { readonly caller: ReviewedUser } | { readonly refusal: Reply };

/**
 * Admits callers that the API server authorizes: it is asked whose the bearer token is (TokenReview), and whether that
 * user may get the path (SubjectAccessReview), as Kubernetes' own components and OCM's do. Other methods than GET and HEAD are
 * verbs of their own, in lower case.
 */
export function delegatedReview({
  client,
  clock,
}: DelegatedAuthorizerOptions): (request: ServedRequest) => Promise<CallerReview> {
  const decisions = new Map<string, { readonly review: Promise<CallerReview>; readonly until: MonotonicTime }>();

  const ask = async (token: string, verb: string, path: string): Promise<CallerReview> => {
    const { status: authentication } = await client.resource(tokenReviews).create({ spec: { token } }, call);
    const caller = authentication?.user;
    if (!authentication?.authenticated || !caller?.username) return { refusal: unauthorized };
    const { allowed } = await reviewAccess(client, caller, { nonResourceAttributes: { path, verb } }, call);
    if (allowed) return { caller };
    const body = `user ${JSON.stringify(caller.username)} cannot ${verb} path ${JSON.stringify(path)}\n`;
    return { refusal: { status: 403, body } };
  };

  return async ({ message, url }) => {
    const [, token] = /^Bearer +(\S+)$/i.exec(message.headers.authorization ?? '') ?? [];
    if (token === undefined) return { refusal: unauthorized };
    const verb = message.method === 'HEAD' ? 'get' : (message.method ?? 'get').toLowerCase();
    // The token itself is not kept.
    const key = createHash('sha256').update(`${verb} ${url.pathname} ${token}`).digest('base64');
    const known = decisions.get(key);
    if (known && clock.monotonic() < known.until) return known.review;
    const review = ask(token, verb, url.pathname);
    decisions.delete(key);
    decisions.set(key, { review, until: timeAfter(clock.monotonic(), decisionMs) });
    for (const oldest of decisions.keys()) {
      if (decisions.size <= maxDecisions) break;
      decisions.delete(oldest);
    }
    // A review that failed decides nothing: the next request asks again.
    review.catch(() => decisions.delete(key));
    return review;
  };
}

/** As `delegatedReview`, for routes that need not know who the caller is. */
export function delegatedAuthorizer(options: DelegatedAuthorizerOptions): Authorizer {
  const review = delegatedReview(options);
  return async (request) => {
    const result = await review(request);
    return 'refusal' in result ? result.refusal : undefined;
  };
}

/** Whom to ask. */
export interface DelegatedAuthorizerOptions {
  /** Of the cluster that the process runs in. It needs `create` on tokenreviews and subjectaccessreviews. */
  readonly client: Pick<KubeClient, 'resource'>;
  readonly clock: Clock;
}

/** A route for authorized callers; for any caller where only this host can reach the address. */
export const protectRoute = (route: Route, address: ListenAddress, authorize: Authorizer): Route =>
  isLoopback(address.host)
    ? route
    : { ...route, handle: async (request) => (await authorize(request)) ?? route.handle(request) };
