import { type ManifestCondition, type ManifestWork, ManifestWorkCondition } from '@flotilla/api-types';
import { formatAge, formatTable } from '../output/table.ts';
import { type Branch, formatTree } from '../output/tree.ts';
import { conditionOf, feedbackText, stageOf } from './work-state.ts';

/** Those of clusteradm. */
const headers = ['NAME', 'CLUSTER', 'NUMBER OF MANIFESTS', 'APPLIED', 'AVAILABLE'];

const manifestsOf = ({ status }: ManifestWork): readonly ManifestCondition[] => status?.resourceStatus?.manifests ?? [];

const rowOf = (work: ManifestWork): string[] => [
  work.metadata?.name ?? '',
  work.metadata?.namespace ?? '',
  String(work.spec?.workload?.manifests?.length ?? 0),
  conditionOf(work, ManifestWorkCondition.Applied)?.status ?? '',
  conditionOf(work, ManifestWorkCondition.Available)?.status ?? '',
];

const feedbackOf = (work: ManifestWork): string =>
  manifestsOf(work)
    .flatMap(({ resourceMeta, statusFeedback }) => {
      const values = statusFeedback?.values ?? [];
      return values.length > 0 ? [`${resourceMeta.name}: ${values.map(feedbackText).join(' ')}`] : [];
    })
    .join('; ');

/** By cluster, then by name. */
export const sortWorks = (works: readonly ManifestWork[]): ManifestWork[] => {
  const keyOf = ({ metadata }: ManifestWork) => `${metadata?.namespace} ${metadata?.name}`;
  return works.toSorted((a, b) => keyOf(a).localeCompare(keyOf(b)));
};

/** The table of `get works`. */
export const workTable = (works: readonly ManifestWork[], wide: boolean, now: number): string =>
  wide
    ? formatTable(
        [...headers, 'AGE', 'FEEDBACK', 'MESSAGE'],
        works.map((work) => [
          ...rowOf(work),
          formatAge(work.metadata?.creationTimestamp, now),
          feedbackOf(work),
          stageOf(work),
        ]),
      )
    : formatTable(headers, works.map(rowOf));

const words = { True: 'applied', False: 'not-applied', Unknown: 'unknown' } as const;

/** The tree of `get works -o tree`: clusters, their works, and which object of which resource is applied. */
export function workTree(works: readonly ManifestWork[]): string {
  const clusters = Map.groupBy(works, ({ metadata }) => metadata?.namespace ?? '');
  const branches = [...clusters].map(([cluster, own]) => ({ text: cluster, below: own.map(workBranch) }));
  return formatTree('<ManifestWork>', branches);
}

function workBranch(work: ManifestWork): Branch {
  const [name = '', , count, applied, available] = rowOf(work);
  return {
    text: name,
    below: [
      { text: `Number of Manifests  ${count}` },
      { text: `Applied  ${applied || 'Unknown'}` },
      { text: `Available  ${available || 'Unknown'}` },
      { text: 'Resources', below: resourceBranches(work) },
    ],
  };
}

/** The objects of a work by their resource, and which of them are applied. */
export function resourceBranches(work: ManifestWork): Branch[] {
  const resources = Map.groupBy(
    manifestsOf(work),
    ({ resourceMeta }) => resourceMeta.resource || resourceMeta.kind || '?',
  );
  return [...resources].map(([text, manifests]) => ({ text, below: manifests.map(leaf) }));
}

function leaf({ resourceMeta, conditions }: ManifestCondition): Branch {
  const applied = conditions.find(({ type }) => type === 'Applied')?.status ?? 'Unknown';
  const name = resourceMeta.namespace ? `${resourceMeta.namespace}/${resourceMeta.name}` : resourceMeta.name;
  return { text: `${name}  ${words[applied]}` };
}
