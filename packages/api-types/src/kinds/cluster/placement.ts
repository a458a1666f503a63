import { nameSyntax, qualifiedNamePattern } from '@flotilla/schema';
import {
  conditionColumn,
  conditions,
  defineKind,
  int32,
  int64,
  intOrString,
  labelSelector,
  listOf,
  object,
  oneOf,
  optional,
  type Resource,
  rootOf,
  text,
  timestamp,
} from '@flotilla/schema/define';
import type { Static } from 'typebox';
import { placements } from '../../resources.ts';
import { claimSelector } from '../../schema/claim-selector.ts';

const celSelector = object('Selects clusters by CEL expressions.', {
  celExpressions: optional(
    listOf('Expressions that must all be true of `managedCluster`.', text('A CEL expression with a boolean result.')),
  ),
});

const predicate = object('Clusters that match any predicate are candidates.', {
  requiredClusterSelector: optional(
    object('A cluster must match all selectors given here.', {
      labelSelector: optional(labelSelector('Labels of the cluster.')),
      claimSelector: optional(claimSelector('Claims that the cluster reports.')),
      celSelector: optional(celSelector),
    }),
  ),
});

const scoreCoordinate = object('Where a score comes from.', {
  type: oneOf(
    'BuiltIn scores are computed by the scheduler, AddOn scores are read from AddOnPlacementScore.',
    ['BuiltIn', 'AddOn'],
    {
      default: 'BuiltIn',
    },
  ),
  builtIn: optional(text('Name of the built-in prioritizer: Balance, Steady, ResourceAllocatableCPU and others.')),
  addOn: optional(
    object('A score in the AddOnPlacementScore of each cluster.', {
      resourceName: text('Name of the AddOnPlacementScore in the cluster’s namespace.'),
      scoreName: text('Name of the score inside it.'),
    }),
  ),
});

const prioritizerPolicy = object('How candidates are ranked.', {
  mode: optional(
    text('Additive adds to the default prioritizers; Exact uses only the ones configured here.', {
      default: 'Additive',
    }),
  ),
  configurations: optional(
    listOf(
      'Prioritizers and their weights.',
      object('A prioritizer and its weight.', {
        scoreCoordinate,
        weight: optional(int32('Factor of the score; 0 switches it off.', { default: 1, minimum: -10, maximum: 10 })),
      }),
    ),
  ),
});

const spreadPolicy = object('How decisions spread over topologies.', {
  spreadConstraints: optional(
    listOf(
      'Constraints on the spread.',
      object('A limit on how uneven the spread may be.', {
        topologyKey: text('Label or claim whose value is the topology.', {
          maxLength: 316,
          pattern: `^(${nameSyntax.dnsSubdomain}/)?${nameSyntax.qualifiedName}$`,
        }),
        topologyKeyType: oneOf('Whether topologyKey is a label or a claim.', ['Label', 'Claim']),
        maxSkew: optional(
          int32('The largest difference in selected clusters between two topologies.', { default: 1, minimum: 1 }),
        ),
        whenUnsatisfiable: optional(
          oneOf('What to do when no cluster fits.', ['DoNotSchedule', 'ScheduleAnyway'], { default: 'ScheduleAnyway' }),
        ),
      }),
      { maxItems: 8 },
    ),
  ),
});

const decisionStrategy = object('How decisions are cut into groups for rollouts.', {
  groupStrategy: optional(
    object('How decisions are grouped.', {
      decisionGroups: optional(
        listOf(
          'Named groups, filled in this order.',
          object('A named group of decisions.', {
            groupName: text('Name of the group.', { pattern: '^[a-zA-Z0-9][-A-Za-z0-9_.]{0,61}[a-zA-Z0-9]$' }),
            groupClusterSelector: object('Which selected clusters belong to the group.', {
              labelSelector: optional(labelSelector('Labels of the cluster.')),
              claimSelector: optional(claimSelector('Claims that the cluster reports.')),
            }),
          }),
        ),
      ),
      clustersPerDecisionGroup: optional(
        intOrString('The largest size of a group, as a count or a percentage of the selected clusters.', {
          default: '100%',
          pattern: '^((100|[1-9][0-9]{0,1})%|[1-9][0-9]*)$',
        }),
      ),
    }),
  ),
});

const toleration = object('Lets tainted clusters be selected.', {
  key: optional(
    text('Key of the taint; empty with Exists tolerates every taint.', {
      maxLength: 316,
      pattern: qualifiedNamePattern,
    }),
  ),
  operator: optional(text('Exists or Equal.', { default: 'Equal' })),
  value: optional(text('Value of the taint, for operator Equal.', { maxLength: 1024 })),
  effect: optional(
    oneOf('Effect of the taint; all effects when empty.', ['NoSelect', 'PreferNoSelect', 'NoSelectIfNew']),
  ),
  tolerationSeconds: optional(int64('How long the taint is tolerated after it was added; for ever when unset.')),
});

const spec = object('Which clusters to select, and how many.', {
  clusterSets: optional(
    listOf('Sets to choose from; every set bound to the namespace when empty.', text('Name of a cluster set.')),
  ),
  numberOfClusters: optional(int32('How many clusters to select; all candidates when unset.')),
  predicates: optional(listOf('Clusters that match any of these are candidates.', predicate)),
  prioritizerPolicy: optional(prioritizerPolicy),
  spreadPolicy: optional(spreadPolicy),
  tolerations: optional(listOf('Cluster taints that are accepted.', toleration)),
  decisionStrategy: optional(decisionStrategy),
  sortBy: optional(oneOf('Order of the decisions.', ['ClusterName', 'Score'], { default: 'ClusterName' })),
  scoreRateLimit: optional(
    text('How often changed add-on scores may change decisions.', { default: '1m', pattern: '^[0-9]+[hms]$' }),
  ),
});

const decisionGroup = object('A group of decisions.', {
  decisionGroupIndex: optional(int32('Index of the group, from 0.')),
  decisionGroupName: optional(text('Name of the group; empty for groups made by size.')),
  decisions: optional(listOf('PlacementDecisions of the group.', text('Name of a PlacementDecision.'))),
  clusterCount: optional(int32('Clusters in the group.', { default: 0 })),
});

const status = object('What was decided.', {
  numberOfSelectedClusters: optional(int32('How many clusters are selected.')),
  decisionGroups: optional(listOf('Groups of decisions, in rollout order.', decisionGroup)),
  conditions: optional(conditions('Whether the placement is satisfied or misconfigured.')),
  lastScoreUpdateTime: optional(timestamp('When add-on scores last changed decisions.')),
});

const schema = rootOf('Selects clusters from the sets bound to its namespace.', { spec, status: optional(status) });

/** Which clusters to select, and how many. */
export type PlacementSpec = Static<typeof spec>;
/** What was decided. */
export type PlacementStatus = Static<typeof status>;
/** Clusters that match any predicate are candidates. */
export type PlacementPredicate = Static<typeof predicate>;
/** Lets tainted clusters be selected. */
export type PlacementToleration = Static<typeof toleration>;
/** Where a score comes from. */
export type ScoreCoordinate = Static<typeof scoreCoordinate>;
/** A group of decisions. */
export type DecisionGroupStatus = Static<typeof decisionGroup>;
/** Selects clusters from the sets bound to its namespace. */
export interface Placement extends Resource<typeof schema> {}

/** How the kind is served, and its schema. */
export const placementKind = defineKind({
  resource: placements,
  schema,
  printerColumns: [
    conditionColumn('Succeeded', 'PlacementSatisfied'),
    conditionColumn('Reason', 'PlacementSatisfied', 'reason'),
    { name: 'SelectedClusters', type: 'integer', jsonPath: '.status.numberOfSelectedClusters' },
  ],
});
