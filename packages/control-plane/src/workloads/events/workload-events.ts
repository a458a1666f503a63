import { type Clock, type KubeClient, KubeError, type Logger } from '@flotilla/kube';
import { type CoreEvent, coreEvents } from '@flotilla/kube/kinds';
import { apiVersionOf, formatTime } from '@flotilla/kube/meta';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import { BoundedMap, EventCorrelator } from './event-correlator.ts';

/** What a component reports of an object. */
export interface WorkloadEvent {
  readonly reason: string;
  readonly message: string;
  /** The part of the object, such as `spec.containers{web}`. */
  readonly fieldPath?: string;
}

/** Reports what happened to an object of a type. Never throws and never waits. */
export type ReportEvent = (type: ResourceType, object: KubeObject, event: WorkloadEvent) => void;

export interface WorkloadEvents {
  /** For a component such as `replicaset-controller`, on a host if it has one. */
  from(component: string, host?: string): ReportEvent;
  /** Resolves when all reported events are written. */
  close(): Promise<void>;
}

export interface WorkloadEventsOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Reporter {
  readonly component: string;
  readonly host?: string;
}

/** Events as the controllers of Kubernetes and its kubelets write them: of the core group, with a source and a count. */
export function createWorkloadEvents({ client, clock, log }: WorkloadEventsOptions): WorkloadEvents {
  const handle = client.resource(coreEvents);
  const correlator = new EventCorrelator();
  /** The names of stored events by their keys, for updates. */
  const names = new BoundedMap<string>();
  let sequence = 0;
  let writing: Promise<void> = Promise.resolve();

  const report = (reporter: Reporter, type: ResourceType, object: KubeObject, event: WorkloadEvent): void => {
    const { namespace, name = '', uid } = object.metadata ?? {};
    const source = JSON.stringify([reporter, type.kind, namespace, name, uid]);
    const reason = JSON.stringify([event.reason, event.fieldPath]);
    const correlated = correlator.correlate({ source, reason, message: event.message }, clock.now());
    if (!correlated) return;
    const time = formatTime(clock.now());
    const { key, message, count } = correlated;
    const create = async (): Promise<void> => {
      const eventName = `${name}.${(BigInt(Math.floor(clock.now())) * 1_000_000n + BigInt(sequence++)).toString(16)}`;
      names.set(key, eventName);
      await handle.create({
        ...newEvent(reporter, type, object, { ...event, message }, time),
        metadata: { namespace: namespaceOf(object), name: eventName },
      });
    };
    const write = async (): Promise<void> => {
      const stored = names.get(key);
      if (count === 1 || stored === undefined) return create();
      const body = { count, message, lastTimestamp: time };
      try {
        await handle.patch(`${namespaceOf(object)}/${stored}`, { type: 'merge', body });
      } catch (error) {
        if (!KubeError.is(error, 'NotFound')) throw error;
        correlator.forget(key);
        await create();
      }
    };
    writing = writing.then(write).catch((error: unknown) => {
      // A namespace that is being deleted takes no more events.
      if (!KubeError.is(error, 'Forbidden', 'NotFound', 'Canceled'))
        log.warn('an event could not be written', { error });
    });
  };

  return {
    from: (component, host) => {
      const reporter = { component, ...(host !== undefined && { host }) };
      return (type, object, event) => report(reporter, type, object, event);
    },
    close: () => writing,
  };
}

/** Where the event of an object is stored: those of objects without a namespace are in `default`. */
const namespaceOf = ({ metadata }: KubeObject): string => metadata?.namespace ?? 'default';

function newEvent(
  { component, host }: Reporter,
  type: ResourceType,
  object: KubeObject,
  { reason, message, fieldPath }: WorkloadEvent,
  time: string,
): Omit<CoreEvent, 'metadata'> {
  const { namespace, name = '', uid, resourceVersion } = object.metadata ?? {};
  return {
    involvedObject: {
      kind: type.kind,
      apiVersion: apiVersionOf(type),
      ...(namespace !== undefined && { namespace }),
      name,
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(fieldPath !== undefined && { fieldPath }),
    },
    reason,
    message,
    source: { component, ...(host !== undefined && { host }) },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    type: 'Normal',
    reportingComponent: component,
    reportingInstance: host ?? '',
  };
}
