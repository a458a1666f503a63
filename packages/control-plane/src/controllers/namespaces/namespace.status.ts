import type { Namespace } from '@flotilla/kube/kinds';
import { formatTime } from '@flotilla/kube/meta';

/** What is left of a namespace's content. */
export interface Remains {
  /** `configmaps.` or `deployments.apps`, and how many. */
  readonly resources: ReadonlyMap<string, number>;
  readonly finalizers: ReadonlyMap<string, number>;
  /** Why content could not be deleted. */
  readonly failures: readonly string[];
}

export type NamespaceCondition = NonNullable<NonNullable<Namespace['status']>['conditions']>[number];

interface Finding {
  readonly type: string;
  readonly good: readonly [reason: string, message: string];
  readonly bad?: readonly [reason: string, message: string];
}

const sortedList = (counts: ReadonlyMap<string, number>, words: (name: string, count: number) => string): string =>
  [...counts]
    .map(([name, count]) => words(name, count))
    .sort()
    .join(', ');

/** The five conditions of a namespace that is being emptied, in the order of their writer. */
const findings = ({ resources, finalizers, failures }: Remains): Finding[] => [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    good: ['ResourcesDiscovered', 'All resources successfully discovered'],
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    good: ['ParsedGroupVersions', 'All legacy kube types successfully parsed'],
  },
  {
    type: 'NamespaceDeletionContentFailure',
    good: ['ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
    ...(failures.length > 0 && {
      bad: [
        'ContentDeletionFailed',
        `Failed to delete all resource types, ${failures.length} remaining: ${[...failures].sort().join(', ')}`,
      ] as const,
    }),
  },
  {
    type: 'NamespaceContentRemaining',
    good: ['ContentRemoved', 'All content successfully removed'],
    ...(resources.size > 0 && {
      bad: [
        'SomeResourcesRemain',
        `Some resources are remaining: ${sortedList(resources, (name, count) => `${name} has ${count} resource instances`)}`,
      ] as const,
    }),
  },
  {
    type: 'NamespaceFinalizersRemaining',
    good: ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
    ...(finalizers.size > 0 && {
      bad: [
        'SomeFinalizersRemain',
        `Some content in the namespace has finalizers remaining: ${sortedList(finalizers, (name, count) => `${name} in ${count} resource instances`)}`,
      ] as const,
    }),
  },
];

/** The conditions with the present state; the same list if nothing changed. */
export function namespaceConditions(
  before: readonly NamespaceCondition[],
  remains: Remains,
  now: number,
): readonly NamespaceCondition[] {
  let changed = false;
  const next = [...before];
  for (const { type, good, bad } of findings(remains)) {
    const [reason, message] = bad ?? good;
    const status = bad ? 'True' : 'False';
    const at = next.findIndex((condition) => condition.type === type);
    const old = next[at];
    if (old?.status === status && old.reason === reason && old.message === message) continue;
    changed = true;
    const lastTransitionTime =
      old?.status === status && old.lastTransitionTime ? old.lastTransitionTime : formatTime(now);
    next.splice(at < 0 ? next.length : at, old ? 1 : 0, { type, status, lastTransitionTime, reason, message });
  }
  return changed ? next : before;
}
