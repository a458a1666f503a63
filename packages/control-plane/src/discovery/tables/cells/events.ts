import type { CoreEvent, Event } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { nameOf, type RowPrinter } from '../cell.ts';

/** What both forms of an event say, under the names of the older. */
function common(object: KubeObject): Partial<CoreEvent> {
  if (object.apiVersion !== 'events.k8s.io/v1') return object as CoreEvent;
  const event = object as Event;
  return {
    ...event,
    involvedObject: event.regarding ?? {},
    ...(event.note !== undefined && { message: event.note }),
    ...(event.deprecatedSource && { source: event.deprecatedSource }),
    ...(event.deprecatedFirstTimestamp && { firstTimestamp: event.deprecatedFirstTimestamp }),
    ...(event.deprecatedLastTimestamp && { lastTimestamp: event.deprecatedLastTimestamp }),
    ...(event.deprecatedCount !== undefined && { count: event.deprecatedCount }),
    ...(event.reportingController !== undefined && { reportingComponent: event.reportingController }),
  };
}

/** Events have no age: they were seen first and last, and the name comes at the end. */
export const eventRow: RowPrinter = (object, ages) => {
  const event = common(object);
  const { involvedObject = {}, series } = event;
  const first = ages.since(event.firstTimestamp ?? event.eventTime);
  const last = series
    ? ages.since(series.lastObservedTime)
    : event.lastTimestamp
      ? ages.since(event.lastTimestamp)
      : first;
  const kind = (involvedObject.kind ?? '').toLowerCase();
  const component = event.source?.component || (event.reportingComponent ?? '');
  const host = event.source?.host || (event.reportingInstance ?? '');
  return [
    last,
    event.type ?? '',
    event.reason ?? '',
    involvedObject.name ? `${kind}/${involvedObject.name}` : kind,
    involvedObject.fieldPath ?? '',
    host ? `${component}, ${host}` : component,
    (event.message ?? '').trim(),
    first,
    series?.count ?? (event.count || 1),
    nameOf(object),
  ];
};
