import type {
  InstallProgression,
  ManagedClusterAddOn,
  Placement,
  PlacementDecision,
  RolloutStrategy,
} from '@flotilla/api-types';
import { isDeleting } from '@flotilla/kube';
import type { EpochMs } from '@flotilla/kube/clock';
import {
  areGroupsComplete,
  type ClusterGroup,
  type ClusterRolloutStatus,
  clusterGroups,
  type MissingDecisions,
  missingDecisions,
  planRollout,
  type RolloutPlan,
} from '@flotilla/placement/rollout';
import { type DesiredConfig, desiredConfigsOf } from '../configs/config.ts';
import { type AddOnRollout, addOnRolloutOf, desiredConfigsFor } from './add-on-rollout.policy.ts';

/** One placement of an install strategy, and what its configurations are. */
export interface PlacementInput {
  readonly progression: InstallProgression;
  readonly strategy: RolloutStrategy;
  /** Undefined if there is no such placement. */
  readonly placement: Placement | undefined;
  readonly decisions: readonly PlacementDecision[];
}

/** What the next step of an add-on is decided from. */
export interface GraphInput {
  /** For clusters that no placement selects. Absent: the add-on is about to be removed from them, and keeps what its removal may need. */
  readonly defaults?: readonly DesiredConfig[];
  /** In order: of several placements that select a cluster, the last decides. */
  readonly placements: readonly PlacementInput[];
  /** The add-on on each cluster that has it. */
  readonly addOns: readonly ManagedClusterAddOn[];
  readonly now: EpochMs;
}

/** The add-on on one cluster. */
export interface AddOnNode {
  readonly addOn: ManagedClusterAddOn;
  /** The configurations that it has unless its own spec overrides them. */
  readonly inherited: readonly DesiredConfig[];
  readonly rollout: AddOnRollout;
}

/** One placement: the clusters whose configurations it decides, and the next step of its rollout. */
export interface PlacementNode {
  readonly progression: InstallProgression;
  readonly selected: ReadonlySet<string>;
  /** The selected clusters that no later placement selects. */
  readonly configured: ReadonlySet<string>;
  readonly addOns: ReadonlyMap<string, AddOnNode>;
  readonly plan: Pick<RolloutPlan, 'rollout' | 'timedOut' | 'isMaxFailureBreached' | 'recheckAfterMs'>;
  /** Set if add-ons stay on clusters that no placement selects, because decisions of this one are missing. */
  readonly held?: MissingDecisions;
  /** Why the rollout of this placement cannot go on. Its clusters then keep what they have. */
  readonly problem?: string;
}

/** All placements, and the clusters that have the add-on without one. */
export interface Graph {
  readonly placements: readonly PlacementNode[];
  readonly defaults: readonly AddOnNode[];
}

const noPlan: PlacementNode['plan'] = { rollout: [], timedOut: [], isMaxFailureBreached: false };

const clusterOf = ({ metadata }: ManagedClusterAddOn): string => metadata?.namespace ?? '';

const byCluster = (a: AddOnNode, b: AddOnNode): number => (clusterOf(a.addOn) < clusterOf(b.addOn) ? -1 : 1);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface Selection {
  readonly input: PlacementInput;
  readonly groups: readonly ClusterGroup[];
  readonly selected: ReadonlySet<string>;
  /** Whether the groups are those that the status of the placement counts. */
  readonly isComplete: boolean;
  readonly problem?: string;
}

/** The clusters of a placement, also of one whose decisions cannot be rolled out: they must not fall back to what others say. */
function selectionOf(input: PlacementInput): Selection {
  const { placement, decisions, progression } = input;
  const { namespace, name } = progression;
  if (!placement)
    return {
      input,
      groups: [],
      selected: new Set(),
      isComplete: true,
      problem: `there is no placement ${namespace}/${name}`,
    };
  const names = decisions.flatMap(({ status }) => (status?.decisions ?? []).map(({ clusterName }) => clusterName));
  const selected = new Set(names);
  try {
    const groups = clusterGroups(decisions);
    return { input, groups, selected, isComplete: areGroupsComplete(placement, groups) };
  } catch (error) {
    return { input, groups: [], selected, isComplete: true, problem: messageOf(error) };
  }
}

/** Clusters that a later placement decides about are not waited for. */
const within = (groups: readonly ClusterGroup[], configured: ReadonlySet<string>): ClusterGroup[] =>
  groups
    .map((group) => ({ ...group, clusters: new Set([...group.clusters].filter((name) => configured.has(name))) }))
    .filter(({ clusters }) => clusters.size > 0);

function placementNode(
  { input: { progression, strategy }, groups, selected, isComplete, problem }: Selection,
  configured: ReadonlySet<string>,
  addOns: ReadonlyMap<string, AddOnNode>,
  now: EpochMs,
): PlacementNode {
  const node = { progression, selected, configured, addOns };
  if (problem !== undefined) return { ...node, plan: noPlan, problem };
  const own = within(groups, configured);
  const existing = own.flatMap(({ clusters, groupName, groupIndex }) =>
    [...clusters].flatMap((clusterName): ClusterRolloutStatus[] => {
      const rollout = addOns.get(clusterName)?.rollout;
      return rollout ? [{ clusterName, groupKey: { groupName, groupIndex }, ...rollout }] : [];
    }),
  );
  try {
    return { ...node, plan: planRollout({ strategy, groups: own, areGroupsComplete: isComplete, existing, now }) };
  } catch (error) {
    return { ...node, plan: noPlan, problem: messageOf(error) };
  }
}

/** Decides which placement configures which cluster, and the next step of each rollout. What is wrong with one does not stop the others. */
export function buildGraph({ defaults, placements, addOns, now }: GraphInput): Graph {
  const selections = placements.map(selectionOf);
  const isLeft = (addOn: ManagedClusterAddOn): boolean => !isDeleting(addOn) && !deciding.has(clusterOf(addOn));
  const deciding = new Map<string, Selection>();
  for (const selection of selections) for (const cluster of selection.selected) deciding.set(cluster, selection);

  const children = new Map<Selection | undefined, Map<string, AddOnNode>>();
  for (const addOn of addOns) {
    const selection = deciding.get(clusterOf(addOn));
    const inherited = selection ? desiredConfigsOf(selection.input.progression.configReferences) : defaults;
    if (!inherited || isDeleting(addOn)) continue;
    const rollout = addOnRolloutOf(addOn, desiredConfigsFor(addOn, inherited));
    const nodes = children.get(selection) ?? new Map<string, AddOnNode>();
    children.set(selection, nodes.set(clusterOf(addOn), { addOn, inherited, rollout }));
  }
  const hasLeft = addOns.some(isLeft);
  return {
    defaults: [...(children.get(undefined)?.values() ?? [])].sort(byCluster),
    placements: selections.map((selection) => {
      const configured = new Set([...selection.selected].filter((cluster) => deciding.get(cluster) === selection));
      const node = placementNode(selection, configured, children.get(selection) ?? new Map(), now);
      const { placement, decisions } = selection.input;
      const held = placement && hasLeft ? missingDecisions(placement, decisions) : undefined;
      return { ...node, ...(held && { held }) };
    }),
  };
}

/** What is to be written to the add-ons of clusters. */
export interface ConfigurationPlan {
  /** They get their configurations now, or have them and are not done. */
  readonly configure: readonly AddOnNode[];
  /** They wait for their turn. */
  readonly wait: readonly AddOnNode[];
  readonly succeeded: readonly AddOnNode[];
  /** After so long time alone changes the plan. */
  readonly recheckAfterMs?: number;
}

/** The add-ons that are in the current step of a placement. */
export const inRollout = ({ plan, addOns }: PlacementNode): AddOnNode[] =>
  plan.rollout.flatMap(({ clusterName }) => addOns.get(clusterName) ?? []).sort(byCluster);

/** What a graph means for the add-ons of clusters, in the order in which it is written. */
export function configurationPlanOf({ placements, defaults }: Graph): ConfigurationPlan {
  const all = [...placements.flatMap(({ addOns }) => [...addOns.values()].sort(byCluster)), ...defaults];
  const configure = [
    ...placements.flatMap(inRollout),
    ...defaults.filter(({ rollout }) => rollout.status !== 'Succeeded'),
  ];
  const inStep = new Set(configure);
  const others = all.filter((node) => !inStep.has(node));
  const waits = placements.flatMap(({ plan }) => plan.recheckAfterMs ?? []);
  return {
    configure,
    wait: others.filter(({ rollout }) => rollout.status === 'ToApply'),
    succeeded: others.filter(({ rollout }) => rollout.status === 'Succeeded'),
    ...(waits.length > 0 && { recheckAfterMs: Math.min(...waits) }),
  };
}
