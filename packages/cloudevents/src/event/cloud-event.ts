import { isDnsLabel } from '@flotilla/schema';
import { MalformedEvent, quoted } from './malformed.ts';

/** The value of an extension. */
export type ExtensionValue = string | number | boolean | Date | Uint8Array;

/** An event, apart from how it is written on the wire. */
export interface CloudEvent {
  /** Unique for each event. */
  readonly id: string;
  /** Who produced it: `kube` for the hub, the name of the cluster or the client id for an agent. */
  readonly source: string;
  readonly type: string;
  readonly time?: Date;
  /** By name, without the prefix of the wire. */
  readonly extensions: Readonly<Record<string, ExtensionValue>>;
  /** JSON; absent if the event carries none, such as that of a deleted object. */
  readonly data?: Uint8Array;
}

/** The extensions that the protocol defines. */
export const Extension = {
  ClusterName: 'clustername',
  OriginalSource: 'originalsource',
  ResourceId: 'resourceid',
  ResourceVersion: 'resourceversion',
  SequenceId: 'sequenceid',
  StatusHash: 'statushash',
  Metadata: 'metadata',
  LogTracing: 'logtracing',
  DeletionTimestamp: 'deletiontimestamp',
  /** How the data is compressed; only between peers of this package. */
  DataEncoding: 'dataencoding',
  /** In a heartbeat: how many events were sent on the stream before it. Peers of OCM ignore it. */
  Sent: 'sent',
} as const;

/** The value of an extension that must be a string, if it is set. */
export function stringExtension(event: CloudEvent, name: string): string | undefined {
  const value = event.extensions[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new MalformedEvent(`extension ${name} is ${quoted(value)}, and must be a string`);
}

/** The value of an extension that must be a string and not empty. */
export function requiredExtension(event: CloudEvent, name: string): string {
  const value = stringExtension(event, name);
  if (value) return value;
  throw new MalformedEvent(`extension ${name} is required and is not set`);
}

/** The cluster that an event is about. */
export const clusterNameOf = (event: CloudEvent): string =>
  checkedClusterName(requiredExtension(event, Extension.ClusterName), `extension ${Extension.ClusterName}`);

/** The name of a cluster, which is that of its namespace. What is kept by cluster is kept for no other text, of whatever length. */
export function checkedClusterName(name: string, field: string): string {
  if (isDnsLabel(name)) return name;
  const expected = 'must be the name of a cluster: at most 63 lower-case letters, digits and hyphens';
  throw new MalformedEvent(`${field} is ${quoted(name)}, and ${expected}`);
}

/** When the object of an event was deleted; undefined if it was not. A string in RFC 3339 is as good as a timestamp. */
export function deletionTimestamp(event: CloudEvent): Date | undefined {
  const value = event.extensions[Extension.DeletionTimestamp];
  if (value === undefined || value instanceof Date) return value;
  const time = new Date(typeof value === 'string' ? value : Number.NaN);
  if (Number.isNaN(time.getTime())) {
    throw new MalformedEvent(`extension ${Extension.DeletionTimestamp} is ${quoted(value)}, and must be a timestamp`);
  }
  return time;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The data of an event as text. */
export function dataText({ data }: CloudEvent): string {
  if (!data) return '';
  try {
    return decoder.decode(data);
  } catch {
    throw new MalformedEvent('the data is not UTF-8');
  }
}
