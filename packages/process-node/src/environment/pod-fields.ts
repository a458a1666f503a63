import type { Container, Pod } from '@flotilla/kube/kinds';
import { quantityValue } from './quantity.ts';

/** Where a pod runs, for the fields that only its node knows. */
export interface PodPlacement {
  readonly podIP: string;
  readonly hostIP: string;
  /** What a container may use that has no limit of its own. */
  readonly allocatable: Readonly<Record<string, string>>;
}

const subscripted = /^metadata\.(labels|annotations)\['(.*)'\]$/s;

/** The value of a `fieldRef`; undefined for a field that cannot be referenced. */
export function podField(pod: Pod, path: string, { podIP, hostIP }: PodPlacement): string | undefined {
  const { metadata = {}, spec } = pod;
  const [, map, key] = subscripted.exec(path) ?? [];
  if (map !== undefined && key !== undefined) return metadata[map === 'labels' ? 'labels' : 'annotations']?.[key] ?? '';
  const fields: Readonly<Record<string, string | undefined>> = {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace,
    'metadata.uid': metadata.uid,
    'metadata.labels': formatMap(metadata.labels),
    'metadata.annotations': formatMap(metadata.annotations),
    'spec.nodeName': spec?.nodeName,
    'spec.serviceAccountName': spec?.serviceAccountName,
    'status.hostIP': hostIP,
    'status.hostIPs': hostIP,
    'status.podIP': podIP,
    'status.podIPs': podIP,
  };
  return Object.hasOwn(fields, path) ? (fields[path] ?? '') : undefined;
}

/** One line for each, quoted, in the order of their names. */
const formatMap = (map: Readonly<Record<string, string>> = {}): string =>
  Object.entries(map)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join('\n');

/** The value of a `resourceFieldRef` such as `limits.memory`, in units of the divisor, rounded up; undefined if it is not known. */
export function resourceField(
  { resources }: Container,
  { resource, divisor }: { readonly resource: string; readonly divisor?: string },
  { allocatable }: PodPlacement,
): string | undefined {
  const [, list, name] = /^(limits|requests)\.(.+)$/.exec(resource) ?? [];
  if (name === undefined) return undefined;
  const asked = list === 'requests' ? (resources?.requests?.[name] ?? '0') : resources?.limits?.[name];
  const amount = quantityValue(asked ?? allocatable[name] ?? '0');
  const unit = quantityValue(divisor && divisor !== '0' ? divisor : '1');
  return amount === undefined || unit === undefined ? undefined : String(Math.ceil(amount / unit));
}

/** The memory that a container may use, in bytes; undefined if it has no limit. */
export const memoryLimitOf = ({ resources }: Container): number | undefined =>
  resources?.limits?.memory === undefined ? undefined : quantityValue(resources.limits.memory);
