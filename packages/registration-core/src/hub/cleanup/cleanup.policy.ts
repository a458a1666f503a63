import { Annotation, type ManagedCluster } from '@flotilla/api-types';
import { isDeleting } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import { isRemovalForced } from '../../contract/index.ts';

const lowest = 0;
const highest = 100;

/** When an object is deleted: smaller goes first. What is not a number from 0 to 100 counts as 0. */
export function priorityOf({ metadata }: KubeObject): number {
  const text = metadata?.annotations?.[Annotation.CleanupPriority] ?? '';
  const priority = /^[+-]?\d+$/.test(text) ? Number(text) : lowest;
  return priority >= lowest && priority <= highest ? priority : lowest;
}

/** The objects whose turn it is: all of the smallest priority that is left, also if they are on their way out and hold the others back. */
export function firstInLine(items: readonly KubeObject[]): KubeObject[] {
  const first = Math.min(...items.map(priorityOf));
  return items.filter((item) => priorityOf(item) === first);
}

/** Those among them that must still be deleted. */
export const toDelete = (items: readonly KubeObject[]): KubeObject[] =>
  firstInLine(items).filter((item) => !isDeleting(item));

/** Whether a cluster goes without its agents, and otherwise in how many milliseconds that is to be asked again. */
export interface GracePeriod {
  readonly ended: boolean;
  readonly leftMs?: number;
}

/**
 * The grace period of the agents of a cluster that was deleted so long ago. It ends when an administrator forces the removal, or at the
 * timeout if there is one.
 */
export function gracePeriodOf(cluster: ManagedCluster, deletedForMs: number, timeoutMs: number): GracePeriod {
  if (isRemovalForced(cluster)) return { ended: true };
  if (timeoutMs === 0) return { ended: false };
  const leftMs = timeoutMs - deletedForMs;
  return leftMs <= 0 ? { ended: true } : { ended: false, leftMs };
}
