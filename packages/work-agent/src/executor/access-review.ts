import { type KubeClient, subjectAccessReviews } from '@flotilla/kube';
import type { ExecutorSubject } from './subject.ts';

/** What a manifest is applied to, and whether it is deleted with the work. */
export interface ExecutorTarget {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly owned: boolean;
}

const verbs = ['create', 'update', 'patch', 'get'];

/** Asks the server whether the executor might do all of it; no more is asked after the first refusal. */
export async function mayApply(
  client: Pick<KubeClient, 'resource'>,
  { user, groups }: ExecutorSubject,
  { owned, ...attributes }: ExecutorTarget,
): Promise<boolean> {
  const reviews = client.resource(subjectAccessReviews);
  for (const verb of owned ? [...verbs, 'delete'] : verbs) {
    const { status } = await reviews.create({
      spec: { user, groups: [...groups], resourceAttributes: { ...attributes, verb } },
    });
    if (!status?.allowed) return false;
  }
  return true;
}
