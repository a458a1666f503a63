import { matchesLabels, parseLabelSelector } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import type { RequestTarget } from './request-target.ts';

/** Whether an object is among those that a list or a watch is about. */
export function selection({ namespace, query }: RequestTarget): (object: KubeObject) => boolean {
  const labels = parseLabelSelector(query.get('labelSelector') ?? '');
  const [field, name] = (query.get('fieldSelector') ?? '').split('=');
  return ({ metadata = {} }) =>
    (namespace === undefined || metadata.namespace === namespace) &&
    (field !== 'metadata.name' || metadata.name === name) &&
    matchesLabels(labels, metadata.labels ?? {});
}
