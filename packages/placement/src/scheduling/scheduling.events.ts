import { EventAction, EventReason, type Placement, type PlacementDecision } from '@flotilla/api-types';
import type { EventInput } from '@flotilla/kube';
import type { ClusterTotal } from '../engine/schedule-result.ts';
import { messageOf, type ScheduleStatus } from '../scheduler/schedule-status.ts';

const noteOf = (decision: PlacementDecision, { metadata }: Placement, what: string): string =>
  `Decision ${decision.metadata?.name} is ${what} with placement ${metadata?.name} in namespace ${metadata?.namespace}`;

/** A page is new. */
export const createdEvent = (decision: PlacementDecision, placement: Placement): EventInput => ({
  reason: EventReason.DecisionCreate,
  action: EventAction.DecisionCreated,
  note: noteOf(decision, placement, 'created'),
  related: decision,
});

/** A page is gone. */
export const deletedEvent = (decision: PlacementDecision, placement: Placement): EventInput => ({
  reason: EventReason.DecisionDelete,
  action: EventAction.DecisionDeleted,
  note: noteOf(decision, placement, 'deleted'),
  related: decision,
});

/** The clusters of a page changed. */
export function updatedEvent(decision: PlacementDecision, placement: Placement, status: ScheduleStatus): EventInput {
  const note = noteOf(decision, placement, 'updated');
  const event = { reason: EventReason.DecisionUpdate, action: EventAction.DecisionUpdated, related: decision };
  return status.code === 'Warning'
    ? { ...event, type: 'Warning', note: `${note}: ${messageOf(status)} in plugin ${status.plugin}` }
    : { ...event, note };
}

const longestNote = 1000;
/** More scores than that do not fit in a note: each has a name, a colon, a number and a space. */
export const mostScores = longestNote / 4 + 1;

/** The totals of the clusters, as many as an event can hold. */
export function scoreEvent(decision: PlacementDecision, totals: readonly ClusterTotal[]): EventInput {
  let note = '';
  for (const { cluster, total } of totals) {
    const next = `${cluster}:${total} `;
    if (note.length + next.length > longestNote) {
      note += '......';
      break;
    }
    note += next;
  }
  return { reason: EventReason.ScoreUpdate, action: EventAction.ScoreUpdated, note, related: decision };
}
