import type { ManifestResourceMeta } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import { reviewAccess } from '@flotilla/kube/kinds';
import type { ExecutorSubject } from './subject.ts';

/** The object of a manifest. */
export interface ExecutorTarget {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** The object of a manifest, with empty texts for what it lacks. */
export const executorTargetOf = ({
  group = '',
  version = '',
  resource = '',
  namespace = '',
  name = '',
}: ManifestResourceMeta): ExecutorTarget => ({ group, version, resource, namespace, name });

/** What is done with the rights of an executor. */
export type ExecutorAction = 'Get' | 'ApplyNoDelete' | 'ApplyAndDelete';

const applying = ['create', 'update', 'patch', 'get'];
const verbs: Readonly<Record<ExecutorAction, readonly string[]>> = {
  Get: ['get'],
  ApplyNoDelete: applying,
  ApplyAndDelete: [...applying, 'delete'],
};

/** Asks the server whether the executor is allowed to do all of it; stops at the first refusal. */
export async function isAllowed(
  client: Pick<KubeClient, 'resource'>,
  { user, groups }: ExecutorSubject,
  action: ExecutorAction,
  { group, version, resource, namespace, name }: ExecutorTarget,
): Promise<boolean> {
  const executor = { username: user, groups };
  for (const verb of verbs[action]) {
    const resourceAttributes = { group, version, resource, namespace, name, verb };
    if (!(await reviewAccess(client, executor, { resourceAttributes })).allowed) return false;
  }
  return true;
}
