import { type CloudEvent, dataText } from '@flotilla/cloudevents';
import { isRecord } from '@flotilla/schema';
import { normalised } from './normalised.ts';

/** An event as it would be of another cluster at another time: what is left must be the same for both. */
export function comparable(event: CloudEvent, clusterName: string): object {
  const { source, type, time, extensions } = event;
  const text = dataText(event);
  return {
    source: source.replaceAll(clusterName, 'NAME'),
    type,
    time: typeof time,
    extensions: Object.fromEntries(
      Object.entries(extensions)
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([name, value]) => [name, comparableValue(name, value, clusterName)]),
    ),
    data: text === '' ? 'none' : comparableData(JSON.parse(text), clusterName),
  };
}

/** Of these only the type and the form can be the same. */
const volatile = new Set(['resourceid', 'resourceversion', 'sequenceid', 'statushash', 'deletiontimestamp']);

function comparableValue(name: string, value: CloudEvent['extensions'][string], clusterName: string): unknown {
  if (value instanceof Date) return 'a timestamp';
  if (volatile.has(name)) return `${typeof value}: ${formOf(String(value))}`;
  if (name === 'metadata' && typeof value === 'string') return comparableData(JSON.parse(value), clusterName);
  return typeof value === 'string' ? value.replaceAll(clusterName, 'NAME') : value;
}

const formOf = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UUID')
    .replaceAll(/^[0-9a-f]{64}$/g, 'SHA-256')
    .replaceAll(/^\d+$/g, 'number');

const comparableData = (data: unknown, clusterName: string): unknown =>
  isRecord(data)
    ? { kind: data.kind, apiVersion: data.apiVersion, ...(normalised(data, clusterName) as object) }
    : data;
