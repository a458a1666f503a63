import { isRecord } from '@flotilla/schema';

/** Fields that differ between any two objects. */
const volatile = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'generation',
  'managedFields',
  'lastTransitionTime',
  'renewTime',
  'timeAdded',
]);

/** What ours say beyond OCM: when something is tried again … */
const nextAttempt = /; tried again when [^"\\]*|, will try again in \d+m?s/g;

/** … which cluster it is that has this name, and that the hub created its namespace. */
const additions = new Set([
  'agent.open-cluster-management.io/cluster-identity',
  'open-cluster-management.io/created-by-hub',
]);

/** An object as it would be under another name, without what differs between any two, and lists that are sets in one order. */
export function normalised(object: object | undefined, name: string): unknown {
  if (!object) return undefined;
  // Of what kind it is itself is how it was read; of what kind others are that it names is part of it.
  const { apiVersion, kind, ...rest }: Record<string, unknown> = { ...object };
  const text = JSON.stringify(rest).replaceAll(name, 'NAME').replaceAll(nextAttempt, '');
  return normalise(JSON.parse(text));
}

/** OCM binds the group of AWS clusters for every cluster; here its driver does (ADR 0032). */
const isAwsGroup = (value: unknown): boolean =>
  isRecord(value) && value.kind === 'Group' && value.name === 'open-cluster-management:NAME';

function normalise(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isAwsGroup(item)).map(normalise);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value)
    .filter(([key]) => !volatile.has(key) && !additions.has(key))
    .map(
      ([key, item]) =>
        [key, isSet(key) && Array.isArray(item) ? sorted(item.map(normalise)) : normalise(item)] as const,
    );
  return Object.fromEntries(
    entries.filter(([key, item]) => key !== 'annotations' || Object.keys(item ?? {}).length > 0),
  );
}

/** Conditions and finalizers are written by several controllers in any order. */
const isSet = (key: string): boolean => key === 'conditions' || key === 'finalizers';

const sorted = (items: unknown[]): unknown[] =>
  items.sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
