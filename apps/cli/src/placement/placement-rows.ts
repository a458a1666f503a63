import { Label, type Placement, PlacementCondition, type PlacementDecision } from '@flotilla/api-types';
import { findCondition, keyOf } from '@flotilla/kube';
import { formatAge, formatTable } from '../output/table.ts';
import { formatTree } from '../output/tree.ts';

/** Those of clusteradm, and the namespace, without which a placement has no name of its own. */
const headers = ['NAMESPACE', 'NAME', 'STATUS', 'REASON', 'SELECTEDCLUSTERS'];

/** The names of clusters in the decisions of a placement, in the order of its pages. */
export function decidedClusters(placement: Placement, decisions: readonly PlacementDecision[]): string[] {
  const { namespace, name } = placement.metadata ?? {};
  const numberOf = ({ metadata }: PlacementDecision) => Number(metadata?.name?.split('-').at(-1) ?? 0);
  return decisions
    .filter(({ metadata }) => metadata?.namespace === namespace && metadata?.labels?.[Label.Placement] === name)
    .toSorted((a, b) => numberOf(a) - numberOf(b))
    .flatMap(({ status }) => (status?.decisions ?? []).map(({ clusterName }) => clusterName));
}

/** What is wrong with a placement, in one sentence; empty if it has all its clusters. */
function messageOf({ status }: Placement): string {
  const misconfigured = findCondition(status?.conditions, PlacementCondition.Misconfigured);
  if (misconfigured?.status === 'True') return misconfigured.message;
  const satisfied = findCondition(status?.conditions, PlacementCondition.Satisfied);
  if (!satisfied) return 'nothing has scheduled it yet';
  return satisfied.status === 'True' ? '' : satisfied.message;
}

const rowOf = (placement: Placement): string[] => {
  const { metadata, status } = placement;
  const satisfied = findCondition(status?.conditions, PlacementCondition.Satisfied);
  const misconfigured = findCondition(status?.conditions, PlacementCondition.Misconfigured);
  const shown = misconfigured?.status === 'True' ? { status: 'False', reason: misconfigured.reason } : satisfied;
  return [
    metadata?.namespace ?? '',
    metadata?.name ?? '',
    shown?.status ?? '',
    shown?.reason ?? '',
    String(status?.numberOfSelectedClusters ?? 0),
  ];
};

/** The table of `get placements`. Why a placement does not have its clusters is shown where there is one. */
export function placementTable(
  placements: readonly Placement[],
  decisions: readonly PlacementDecision[],
  wide: boolean,
  now: number,
): string {
  const sorted = placements.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const messages = sorted.map(messageOf);
  const hasMessage = wide || messages.some((message) => message !== '');
  return formatTable(
    [...headers, ...(wide ? ['AGE', 'CLUSTERS'] : []), ...(hasMessage ? ['MESSAGE'] : [])],
    sorted.map((placement, index) => [
      ...rowOf(placement),
      ...(wide
        ? [
            formatAge(placement.metadata?.creationTimestamp, now),
            decidedClusters(placement, decisions).join(',') || '<none>',
          ]
        : []),
      messages[index] ?? '',
    ]),
  );
}

const words = { True: 'true', False: 'false', Unknown: 'unknown' } as const;

/** The tree of `get placements -o tree`, with the fields of clusteradm. */
export const placementTree = (placements: readonly Placement[], decisions: readonly PlacementDecision[]): string =>
  formatTree(
    '<Placement>',
    placements.map((placement) => {
      const { metadata, spec, status } = placement;
      const condition = (type: string) => words[findCondition(status?.conditions, type)?.status ?? 'Unknown'];
      const clusters = decidedClusters(placement, decisions);
      return {
        text: metadata?.name ?? '',
        below: [
          { text: `Namespace  ${metadata?.namespace}` },
          { text: `ClusterSet  ${(spec?.clusterSets ?? []).join(',')}` },
          {
            text: 'Status',
            below: [
              { text: `NumberOfSelectedClusters  ${status?.numberOfSelectedClusters ?? 0}` },
              {
                text: 'Conditions',
                below: [PlacementCondition.Satisfied, PlacementCondition.Misconfigured].map((type) => ({
                  text: `${type}  ${condition(type)}`,
                })),
              },
            ],
          },
          {
            text: 'PlacementDecision',
            below: (clusters.length > 0 ? clusters : ['NoClusterSelected']).map((text) => ({ text })),
          },
        ],
      };
    }),
  );
