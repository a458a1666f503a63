import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  type CloudEventAttributeValue,
  CloudEventAttributeValueSchema,
  type CloudEvent as CloudEventMessage,
  CloudEventSchema,
} from '../protobuf/generated/io/cloudevents/v1/cloudevent_pb.ts';
import type { CloudEvent, ExtensionValue } from './cloud-event.ts';
import { decompressed } from './data-encoding.ts';
import { MalformedEvent, quoted } from './malformed.ts';

/*
 * The mapping is Open Cluster Management's own and not the protobuf format of the CloudEvents project: extensions are attributes with a
 * prefix, the content type is an attribute without one, and the data is always `binary_data`.
 */

const specVersion = '1.0';
const prefix = 'ce-';
const contentTypeKey = 'contenttype';
const timeKey = 'ce-time';
const json = 'application/json';
/** More than an API server stores of one object. */
const defaultMaxDataBytes = 16 * 1024 * 1024;
const extensionName = /^[a-z0-9]+$/;
/** Attributes of CloudEvents that have a field of their own or are never used: they are not extensions. */
const contextAttributes = new Set(['id', 'source', 'type', 'specversion', 'subject', 'dataschema', 'datacontenttype']);

/** The event as a message. */
export function toMessage(event: CloudEvent): CloudEventMessage {
  const attributes: Record<string, CloudEventAttributeValue> = {};
  for (const [name, value] of Object.entries(event.extensions)) {
    if (!extensionName.test(name) || contextAttributes.has(name) || name === 'time') {
      throw new MalformedEvent(`${quoted(name)} cannot be the name of an extension: use lower-case letters and digits`);
    }
    attributes[prefix + name] = toAttribute(name, value);
  }
  if (event.time) attributes[timeKey] = toAttribute('time', event.time);
  if (event.data) attributes[contentTypeKey] = toAttribute(contentTypeKey, json);
  return create(CloudEventSchema, {
    id: event.id,
    source: event.source,
    specVersion,
    type: event.type,
    attributes,
    ...(event.data && { data: { case: 'binaryData', value: event.data } }),
  });
}

/** The event of a message. Throws `MalformedEvent` for what the protocol does not allow, and for data that is too large. */
export const fromMessage = (message: CloudEventMessage, maxDataBytes: number = defaultMaxDataBytes): CloudEvent =>
  decompressed(readEnvelope(message), maxDataBytes);

/** The same with its data as it came, which may be compressed. */
export function readEnvelope(message: CloudEventMessage): CloudEvent {
  if (message.specVersion !== specVersion) {
    throw new MalformedEvent(`spec_version is ${quoted(message.specVersion)}, and must be "${specVersion}"`);
  }
  const extensions: Record<string, ExtensionValue> = {};
  let time: Date | undefined;
  for (const [key, attribute] of Object.entries(message.attributes)) {
    const value = fromAttribute(key, attribute);
    if (key === contentTypeKey || key === `${prefix}datacontenttype`) checkContentType(value);
    else if (key === timeKey) time = timeOf(value);
    else if (key.startsWith(prefix)) {
      const name = key.slice(prefix.length);
      if (contextAttributes.has(name))
        throw new MalformedEvent(`attribute ${quoted(key)} repeats a field of the event`);
      if (!extensionName.test(name))
        throw new MalformedEvent(`attribute ${quoted(key)} is not the name of an extension`);
      extensions[name] = value;
    }
  }
  const { id, source, type, data } = message;
  const bytes = data.case === 'binaryData' && data.value.length > 0 ? data.value : undefined;
  return { id, source, type, extensions, ...(time && { time }), ...(bytes && { data: bytes }) };
}

/**
 * Structured mode is refused. There the event is the JSON of the data, so that one reader would see another event than the next one,
 * which reads the fields.
 */
function checkContentType(value: ExtensionValue): void {
  if (typeof value === 'string' && !value.startsWith('application/cloudevents')) return;
  throw new MalformedEvent(`attribute ${contentTypeKey} is ${quoted(value)}, and must be "${json}"`);
}

function timeOf(value: ExtensionValue): Date {
  const time = value instanceof Date ? value : new Date(typeof value === 'string' ? value : Number.NaN);
  if (Number.isNaN(time.getTime())) {
    throw new MalformedEvent(`attribute ${timeKey} is ${quoted(value)}, and must be a timestamp`);
  }
  return time;
}

function toAttribute(name: string, value: ExtensionValue): CloudEventAttributeValue {
  return create(CloudEventAttributeValueSchema, { attr: attributeOf(name, value) });
}

function attributeOf(name: string, value: ExtensionValue): CloudEventAttributeValue['attr'] {
  if (typeof value === 'string') return { case: 'ceString', value };
  if (typeof value === 'boolean') return { case: 'ceBoolean', value };
  if (value instanceof Uint8Array) return { case: 'ceBytes', value };
  if (typeof value === 'number') {
    if (value === (value | 0)) return { case: 'ceInteger', value };
    throw new MalformedEvent(`extension ${name} is ${value}, and an integer of an event has 32 bits`);
  }
  if (Number.isNaN(value.getTime())) throw new MalformedEvent(`extension ${name} is not a valid date`);
  return { case: 'ceTimestamp', value: timestampFromDate(value) };
}

/** The furthest date of JavaScript. */
const maxSeconds = 8_640_000_000_000n;

function fromAttribute(key: string, { attr }: CloudEventAttributeValue): ExtensionValue {
  if (attr.case === undefined) throw new MalformedEvent(`attribute ${quoted(key)} has no value`);
  if (attr.case !== 'ceTimestamp') return attr.value;
  const { seconds, nanos } = attr.value;
  if (seconds > maxSeconds || seconds < -maxSeconds || nanos < 0 || nanos > 999_999_999) {
    throw new MalformedEvent(`attribute ${quoted(key)} is not a valid timestamp`);
  }
  return new Date(Math.min(Number(seconds) * 1000 + Math.floor(nanos / 1_000_000), Number(maxSeconds) * 1000));
}
