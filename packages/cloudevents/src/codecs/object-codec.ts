import { apiVersionOf, formatTime } from '@flotilla/kube/meta';
import { isRecord, type KubeObject, type ResourceType } from '@flotilla/schema';
import { type CloudEvent, deletionTimestamp, Extension, requiredExtension } from '../event/cloud-event.ts';
import { createEvent, type EventOrigin } from '../event/create-event.ts';
import type { DataType } from '../event/data-type.ts';
import { dataObject } from '../event/event-json.ts';
import type { Action, Subresource } from '../event/event-type.ts';
import { MalformedEvent } from '../event/malformed.ts';

/** Which event is to be made of an object. */
export interface EventPurpose extends EventOrigin {
  readonly subresource: Subresource;
  readonly action: Action;
}

/** How objects of one kind travel, in both directions. */
export interface ObjectCodec<T extends KubeObject> {
  readonly dataType: DataType;
  readonly resource: ResourceType<T>;
  /** The ManagedCluster that an object belongs to. Throws `MalformedEvent` if it does not say. */
  clusterOf(object: T): string;
  /** An object that exists. One that is being deleted says so in an extension, too. */
  encode(object: T, purpose: EventPurpose): CloudEvent;
  /** An object that is gone: its identity, and when it was deleted, without data. */
  encodeGone(object: T, purpose: EventPurpose): CloudEvent;
  /** The object of an event; one without data has its uid and the time of its deletion only. */
  decode(event: CloudEvent): T;
}

/** A codec for objects that travel as they are in the API. */
export function objectCodec<T extends KubeObject>(
  dataType: DataType,
  resource: ResourceType<T>,
  clusterOf: (object: T) => string | undefined,
): ObjectCodec<T> {
  const named = (object: T): string => {
    const clusterName = clusterOf(object);
    if (clusterName) return clusterName;
    throw new MalformedEvent(`${resource.kind} ${object.metadata?.name ?? 'without a name'} names no cluster`);
  };
  return {
    dataType,
    resource,
    clusterOf: named,
    encode: (object, purpose) =>
      createEvent(purpose, {
        type: { dataType, subresource: purpose.subresource, action: purpose.action },
        clusterName: named(object),
        extensions: identityExtensions(object),
        data: { kind: resource.kind, apiVersion: apiVersionOf(resource), ...withoutManagedFields(object) },
      }),
    encodeGone: (object, purpose) =>
      createEvent(purpose, {
        type: { dataType, subresource: purpose.subresource, action: purpose.action },
        clusterName: named(object),
        extensions: { [Extension.DeletionTimestamp]: new Date(purpose.now), ...identityExtensions(object) },
      }),
    decode: (event) => decodeObject<T>(event),
  };
}

function identityExtensions({ metadata = {} }: KubeObject) {
  const { uid, resourceVersion, deletionTimestamp: deleted } = metadata;
  return {
    [Extension.ResourceId]: uid || undefined,
    // A string for all kinds but ManifestWorks: their readers take nothing else.
    [Extension.ResourceVersion]: resourceVersion || undefined,
    ...(deleted && { [Extension.DeletionTimestamp]: new Date(deleted) }),
  };
}

/** What the API server keeps for itself is of no use to the other side, and is often the larger half of an object. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (!object.metadata?.managedFields) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function decodeObject<T extends KubeObject>(event: CloudEvent): T {
  const deleted = deletionTimestamp(event);
  if (deleted && !event.data) {
    const uid = requiredExtension(event, Extension.ResourceId);
    // An object that is gone: there is nothing else to know of it.
    return { metadata: { uid, deletionTimestamp: formatTime(deleted.getTime()) } } as T;
  }
  const object = dataObject(event);
  if (!isRecord(object.metadata) || typeof object.metadata.name !== 'string' || object.metadata.name === '') {
    throw new MalformedEvent('metadata.name of the object in the data is required and is not set');
  }
  // The API server checks what it stores, and a hub is trusted with the kinds that it sends.
  return object as T;
}
