import { isDnsSubdomain, type KubeObject } from '@flotilla/schema';
import type { Event } from '../kinds/built-in-types.ts';
import { formatMicroTime } from '../meta/time.ts';

/** What happened to an object, for those who `kubectl describe` it. */
export interface EventInput {
  /** Default `Normal`. */
  type?: 'Normal' | 'Warning';
  /** Why, in one PascalCase word: `AvailableUnknown`. */
  reason: string;
  /** What was done, in one PascalCase word. Default: the reason. */
  action?: string;
  /** A human-readable sentence or two. */
  note: string;
  /** A second object that it is about. */
  related?: KubeObject;
  /** Where the event is kept if the object is of cluster scope. Default `default`, where the server requires it. */
  namespace?: string;
}

/** Who reports. */
export interface EventReporter {
  /** For example `placement-controller`. */
  reportingController: string;
  /** For example the name of the pod. */
  reportingInstance: string;
}

/** A pointer to an object, as events have it. */
type ObjectReference = NonNullable<Event['regarding']>;

/** Limits of the API server; longer text is cut rather than refused. */
const maxLengths = { note: 1024, reason: 128, action: 128, reportingInstance: 128 } as const;

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);

/** A pointer to an object; undefined if the object does not say what it is. */
function referenceTo(object: KubeObject): ObjectReference | undefined {
  const { apiVersion, kind, metadata } = object;
  if (!apiVersion || !kind || !metadata?.name) return undefined;
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, name, namespace, uid, resourceVersion };
}

/** A name that no other event has: `sequence` distinguishes events of the same millisecond. */
export function eventName(regardingName: string, wallClock: number, sequence: number): string {
  const nanos = BigInt(Math.floor(wallClock)) * 1_000_000n + BigInt(sequence % 1_000_000);
  const suffix = nanos.toString(16);
  const name = `${regardingName}.${suffix}`;
  // Some kinds (roles) allow letters that the name of an event cannot have.
  return isDnsSubdomain(name) ? name : `event.${suffix}`;
}

/** The event object; undefined if the object that it is about does not say what it is. */
export function buildEvent(
  reporter: EventReporter,
  object: KubeObject,
  input: EventInput,
  wallClock: number,
  sequence: number,
): Event | undefined {
  const reference = referenceTo(object);
  if (!reference) return undefined;
  // The server requires that an event lives where the object does, and one about a cluster-scoped object in `default`.
  const regarding = { ...reference, namespace: reference.namespace ?? input.namespace };
  const related = input.related && referenceTo(input.related);
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: {
      name: eventName(regarding.name ?? '', wallClock, sequence),
      namespace: regarding.namespace ?? 'default',
    },
    eventTime: formatMicroTime(wallClock),
    type: input.type ?? 'Normal',
    reason: cut(input.reason, maxLengths.reason),
    action: cut(input.action ?? input.reason, maxLengths.action),
    note: cut(input.note, maxLengths.note),
    regarding,
    ...(related && { related }),
    reportingController: reporter.reportingController,
    reportingInstance: cut(reporter.reportingInstance, maxLengths.reportingInstance),
  };
}

/** Which object an event is about: the share of the recorder it may use. */
export const sourceKey = ({ regarding }: Event): string =>
  [regarding?.apiVersion, regarding?.kind, regarding?.namespace, regarding?.name, regarding?.uid].join('\n');

/** Events with the same key are equal and become one event with a count. */
export const seriesKey = (event: Event): string =>
  [sourceKey(event), event.related?.uid, event.type, event.reason, event.action, event.note].join('\n');
