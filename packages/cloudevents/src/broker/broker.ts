import { randomUUID } from 'node:crypto';
import { KubeError } from '@flotilla/kube';
import { type CloudEvent, clusterNameOf } from '../event/cloud-event.ts';
import { createHeartbeat } from '../event/create-event.ts';
import { type DataType, formatDataType } from '../event/data-type.ts';
import { type EventType, parseEventType } from '../event/event-type.ts';
import type { ListedObject } from '../resync/listed-object.ts';
import { parseResyncRequest } from '../resync/resync-request.ts';
import { resyncAnswers } from '../resync/resync-response.ts';
import type { QueuedEvent } from './event-queue.ts';
import { type EventSink, EventStream, type EventStreamOptions } from './event-stream.ts';
import { HeartbeatGroups } from './heartbeat-groups.ts';
import { RecentEvents } from './recent-events.ts';

/** The objects of one data type on the side of the hub. */
export interface BrokerService<Caller> {
  readonly dataType: DataType;
  /**
   * All objects of a cluster, from a cache. Throws `Unavailable` as long as the cache is not filled: an empty answer would
   * make agents delete what they have.
   */
  list(clusterName: string): readonly ListedObject[];
  /** Of the data of one event that it handles, unpacked. */
  readonly maxDataBytes?: number;
  /**
   * Does what the event asks for; resolves when it is done, and throws a `KubeError` if it cannot be. What it calls `reply` with is sent
   * to those who subscribed, and to the sender with the answer to the call.
   */
  handle(event: CloudEvent, type: EventType, caller: Caller, reply: (event: CloudEvent) => void): Promise<void>;
}

/** Hands events of agents to services, and events of services to the agents that subscribed to them. */
export class Broker<Caller> {
  readonly #services: ReadonlyMap<string, BrokerService<Caller>>;
  readonly #options: EventStreamOptions;
  readonly #streams = new Map<string, Set<EventStream>>();
  readonly #recent: RecentEvents;
  readonly #heartbeats: HeartbeatGroups | undefined;
  readonly #announcements = new Map<string, CloudEvent>();
  #isClosed = false;

  constructor(services: readonly BrokerService<Caller>[], options: EventStreamOptions) {
    this.#services = new Map(services.map((service) => [formatDataType(service.dataType), service]));
    this.#options = options;
    this.#recent = new RecentEvents(options.clock);
    const { clock, heartbeatMs } = options;
    this.#heartbeats = heartbeatMs === undefined ? undefined : new HeartbeatGroups(clock, heartbeatMs);
  }

  /**
   * Handles an event of an agent, once. Who may send it has been decided before; `party` is whose event it is. Resolves with the reply, if there
   * is one.
   */
  async publish(event: CloudEvent, caller: Caller, party: string): Promise<CloudEvent | undefined> {
    const type = parseEventType(event.type);
    const service = this.#service(type.dataType);
    if (type.action !== 'resync_request') {
      return this.#recent.once(party, event, async () => {
        let answer: CloudEvent | undefined;
        await service.handle(event, type, caller, (reply) => {
          answer = reply;
          this.send(type.dataType, reply);
        });
        return answer;
      });
    }
    const request = parseResyncRequest(event);
    const listed = service.list(request.clusterName);
    for (const { id, encode } of resyncAnswers(type.dataType, listed, request, this.#options.clock.now())) {
      this.sendObject(type.dataType, request.clusterName, { id, event: encode });
    }
    // Says that the answers are complete to those who know its id; others take it for a heartbeat.
    this.#sendTo(type.dataType, request.clusterName, createHeartbeat(event.id));
    return undefined;
  }

  /** Sends an event to all who subscribed to its cluster and data type. Never waits. */
  send(dataType: DataType, event: CloudEvent): void {
    this.#sendTo(dataType, clusterNameOf(event), event);
  }

  /** The same for an event about an object. One that is to be made is made for each stream when its reader is ready for it. */
  sendObject(
    dataType: DataType,
    clusterName: string,
    { id, event }: { readonly id: string | undefined; readonly event: QueuedEvent },
  ): void {
    const key = id || randomUUID();
    for (const stream of this.#streams.get(streamKey(dataType, clusterName)) ?? []) stream.sendWhenReady(key, event);
  }

  /** Sends an event to all streams of a data type: those that are open, and others when they open. Replaces an earlier one. */
  announce(dataType: DataType, event: CloudEvent): void {
    const prefix = streamKey(dataType, '');
    this.#announcements.set(prefix, event);
    for (const [key, streams] of this.#streams) {
      if (key.startsWith(prefix)) for (const stream of streams) stream.send(event);
    }
  }

  /** Adds a subscriber. Call the result when the reader is gone. */
  subscribe(dataType: DataType, clusterName: string, sink: EventSink): { end(error?: Error): void; stop(): void } {
    const key = streamKey(dataType, clusterName);
    const stream = new EventStream(sink, this.#options);
    const streams = this.#streams.get(key) ?? new Set();
    this.#streams.set(key, streams.add(stream));
    const stopBeating = this.#heartbeats?.add(clusterName, stream);
    const announcement = this.#announcements.get(streamKey(dataType, ''));
    if (announcement) stream.send(announcement);
    return {
      end: (error) => stream.end(error),
      stop: () => {
        stream.stop();
        stopBeating?.();
        streams.delete(stream);
        if (streams.size === 0 && this.#streams.get(key) === streams) this.#streams.delete(key);
      },
    };
  }

  /** Throws `BadRequest` for a data type without a service. */
  requireServed(dataType: DataType): void {
    this.#service(dataType);
  }

  serves(dataType: DataType): boolean {
    return this.#services.has(formatDataType(dataType));
  }

  /** Of the data of one event, unpacked; undefined if the service of the data type does not say. */
  maxDataBytes(dataType: DataType): number | undefined {
    return this.#services.get(formatDataType(dataType))?.maxDataBytes;
  }

  /** How many streams of a cluster are open. */
  subscribersOf(dataType: DataType, clusterName: string): number {
    return this.#streams.get(streamKey(dataType, clusterName))?.size ?? 0;
  }

  /** How many streams are open. */
  get subscribers(): number {
    let count = 0;
    for (const streams of this.#streams.values()) count += streams.size;
    return count;
  }

  /** Whether it takes no more subscribers. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Ends all streams, so that their readers go to another server. */
  close(error?: Error): void {
    this.#isClosed = true;
    for (const streams of this.#streams.values()) for (const stream of streams) stream.end(error);
  }

  #sendTo(dataType: DataType, clusterName: string, event: CloudEvent): void {
    for (const stream of this.#streams.get(streamKey(dataType, clusterName)) ?? []) stream.send(event);
  }

  #service(dataType: DataType): BrokerService<Caller> {
    const service = this.#services.get(formatDataType(dataType));
    if (service) return service;
    const known = [...this.#services.keys()].join(', ');
    throw new KubeError('BadRequest', `data type ${formatDataType(dataType)} is not served; those that are: ${known}`);
  }
}

const streamKey = (dataType: DataType, clusterName: string): string => `${formatDataType(dataType)}/${clusterName}`;
