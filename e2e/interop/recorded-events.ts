import { type CloudEvent, dataText } from '@flotilla/cloudevents';
import { isRecord } from '@flotilla/schema';
import { normalised } from './normalised.ts';

/**
 * An event of an agent as it would be of another cluster at another time: what is left must be the same for both. Left out is what OCM
 * v1.2.1 has otherwise than v1.3, whose words ours are: objects other than works are called by their name and not by their uid. And what
 * ours say in addition: how the cluster is registered.
 */
export function comparable(event: CloudEvent, clusterName: string) {
  const { source, type, time, extensions } = event;
  const text = dataText(event);
  const isBundle = type.includes('manifestbundles');
  return {
    source: source.replaceAll(clusterName, 'NAME'),
    type,
    time: typeof time,
    extensions: Object.fromEntries(
      Object.entries(extensions)
        .filter(([name]) => isBundle || name !== 'resourceid')
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([name, value]) => [name, comparableValue(name, value, clusterName)]),
    ),
    data: text === '' ? undefined : comparableData(JSON.parse(text), clusterName),
  };
}

/** Of these only the type and the form can be the same. */
const volatile = new Set(['resourceid', 'resourceversion', 'sequenceid', 'statushash']);

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

const comparableData = (data: Record<string, unknown>, clusterName: string): unknown =>
  withoutUnset({ kind: data.kind, apiVersion: data.apiVersion, ...(normalised(data, clusterName) as object) });

const declaredAuth = 'agent.open-cluster-management.io/registration-auth';
/** The pair of keys of a request is another each time, and so is the end of its name. */
const forms: Readonly<Record<string, (text: string) => string>> = {
  request: (text) => atob(text).split('\n')[0] ?? '',
  name: (text) => text.replace(/^((?:addon-)?NAME(?:-probe)?)-[a-z0-9]{5,10}$/, '$1-RANDOM'),
  deletionTimestamp: (text) => text.replaceAll(/\d/g, '0'),
};

/** Without what Go writes for fields that are not set. */
function withoutUnset(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return forms[key]?.(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => withoutUnset(item));
  if (!isRecord(value)) return value;
  const entries = Object.entries(value)
    .filter(([name]) => name !== declaredAuth)
    .map(([name, child]) => [name, withoutUnset(child, name)] as const)
    // Go writes null for a list without elements.
    .filter(([name, child]) => !(name === 'audiences' && Array.isArray(child) && child.length === 0))
    .filter(([, child]) => child != null && !(isRecord(child) && Object.keys(child).length === 0));
  return Object.fromEntries(entries);
}
