/** Fields that differ between any two objects. */
const volatile = new Set([
  'apiVersion',
  'kind',
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

/** … and which cluster it is that has this name. */
const additions = new Set(['agent.open-cluster-management.io/cluster-identity']);

/** An object as it would be under another name, without what differs between any two, and lists that are sets in one order. */
export function normalised(object: object | undefined, name: string): unknown {
  const text = JSON.stringify(object)?.replaceAll(name, 'NAME').replaceAll(nextAttempt, '');
  return text && stripped(JSON.parse(text));
}

function stripped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stripped);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value)
    .filter(([key]) => !volatile.has(key) && !additions.has(key))
    .map(
      ([key, item]) => [key, isSet(key) && Array.isArray(item) ? sorted(item.map(stripped)) : stripped(item)] as const,
    );
  return Object.fromEntries(
    entries.filter(([key, item]) => key !== 'annotations' || Object.keys(item ?? {}).length > 0),
  );
}

/** Conditions and finalizers are written by several controllers, whose turns nobody orders. */
const isSet = (key: string): boolean => key === 'conditions' || key === 'finalizers';

const sorted = (items: unknown[]): unknown[] =>
  items.sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
