import type { Pod } from '@flotilla/kube/kinds';

export const isReady = (pod: Pod): boolean =>
  pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;

/** Neither finished nor being deleted. */
export const isActive = (pod: Pod): boolean =>
  pod.metadata?.deletionTimestamp === undefined && !['Succeeded', 'Failed'].includes(pod.status?.phase ?? '');
