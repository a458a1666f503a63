import { DataKey } from '@flotilla/api-types';
import { type AccessSource, type Clock, type KubeClient, KubeError, mapLimited, secretAccess } from '@flotilla/kube';
import { type Secret, selfSubjectAccessReviews } from '@flotilla/kube/kinds';
import { BehaviorSubject } from 'rxjs';
import { describeReview, type Review } from './reviews.policy.ts';

/** What became of asking a hub. */
export type HubAnswer =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'denied'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

/** With what hubs are asked. */
export interface HubCheckInput {
  connect(access: AccessSource): KubeClient;
  readonly clock: Clock;
}

/** A hub that answers slower is taken for one that does not answer. */
const deadlineMs = 10_000;

/** OCM asks twice a second; this many at a time is as gentle, and ends sooner. */
const atATime = 4;

/** Asks the hub of a kubeconfig in a Secret whether it permits all that is listed. Never rejects. */
export async function askHub(
  { connect, clock }: HubCheckInput,
  secret: Secret,
  reviews: readonly Review[],
  signal: AbortSignal,
): Promise<HubAnswer> {
  const { namespace, name } = secret.metadata ?? {};
  const data = new BehaviorSubject(secret.data ?? {});
  const access = secretAccess({ data, origin: `Secret ${namespace}/${name}`, clock, key: DataKey.Kubeconfig });
  const hub = connect(access);
  const denied: string[] = [];
  try {
    await mapLimited(reviews, atATime, async (resourceAttributes) => {
      const review = { spec: { resourceAttributes } };
      const { status } = await hub.resource(selfSubjectAccessReviews).create(review, { signal, deadlineMs });
      if (!status?.allowed) denied.push(describeReview(resourceAttributes));
    });
  } catch (error) {
    return { kind: 'failed', message: KubeError.from(error).message };
  } finally {
    await hub.close();
    access.close();
  }
  if (denied.length === 0) return { kind: 'allowed' };
  return { kind: 'denied', message: `it does not permit to ${denied.sort().join('; ')}` };
}
