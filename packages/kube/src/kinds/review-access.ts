import type { KubeClient } from '../resources/kube-client.ts';
import type { CallOptions } from '../resources/resource-handle.ts';
import { subjectAccessReviews } from './built-in-kinds.ts';
import type { SubjectAccessReviewSpec } from './built-in-types.ts';

/** Who is asked about, as webhooks and token reviews name them. */
export interface ReviewedUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What the user wants to do: to an object, or to a path that is not one. */
export type ReviewedAccess = Pick<SubjectAccessReviewSpec, 'resourceAttributes' | 'nonResourceAttributes'>;

/** The answer of the API server. */
export interface AccessDecision {
  readonly allowed: boolean;
  /** Why, if the authorizer gave a reason. */
  readonly reason?: string;
}

/** Asks the API server whether a user may do something, by a SubjectAccessReview. An authorizer that fails counts as a refusal. */
export async function reviewAccess(
  client: Pick<KubeClient, 'resource'>,
  { username, uid, groups, extra }: ReviewedUser,
  access: ReviewedAccess,
  options?: CallOptions,
): Promise<AccessDecision> {
  const spec: SubjectAccessReviewSpec = {
    ...access,
    ...(username !== undefined && { user: username }),
    ...(uid !== undefined && { uid }),
    ...(groups && { groups: [...groups] }),
    ...(extra && { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
  };
  const { status } = await client.resource(subjectAccessReviews).create({ spec }, options);
  const reason = status?.reason || status?.evaluationError;
  return { allowed: status?.allowed === true && status.denied !== true, ...(reason && { reason }) };
}
