import { Annotation, type KubeObject } from '@flotilla/api-types';
import { isDeleting } from '@flotilla/kube';

const lowest = 0;
const highest = 100;

/** When an object is deleted: smaller goes first. What is no number from 0 to 100 counts as 0. */
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

/** Those among them that must still be told to go. */
export const toDelete = (items: readonly KubeObject[]): KubeObject[] =>
  firstInLine(items).filter((item) => !isDeleting(item));
