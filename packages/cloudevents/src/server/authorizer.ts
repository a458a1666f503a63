import type { CloudEvent } from '../event/cloud-event.ts';
import type { DataType } from '../event/data-type.ts';
import type { EventType } from '../event/event-type.ts';
import type { Admission } from './admission.ts';
import type { CallContext } from './call-context.ts';

/** A subscription that may be opened. */
export interface Admitted {
  /** Aborts when the subscriber loses the right to it; the reason is an error for the subscriber. */
  readonly revoked?: AbortSignal;
  /** Called once, when the stream has ended. */
  readonly onEnd?: () => void;
}

/** Decides who may do what. Throws `Unauthorized` or `Forbidden` otherwise. */
export interface Authorizer<Caller> {
  /** Called for each call, before anything but its metadata is read. Throws `TooManyRequests`, too. */
  admit(call: CallContext): Promise<Admission>;
  /** Called for each event, which has been decoded. */
  publish(event: CloudEvent, type: EventType, call: CallContext): Promise<Caller>;
  /** Called when a stream is opened. */
  subscribe(request: { clusterName: string; dataType: DataType }, call: CallContext): Promise<Admitted>;
}
