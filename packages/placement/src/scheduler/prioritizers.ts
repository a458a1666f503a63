import type { PlacementSpec } from '@flotilla/api-types';
import { MisconfiguredError } from './schedule-status.ts';

/** A prioritizer and the factor of its score. */
export type Prioritizer = BuiltInPrioritizer | AddOnPrioritizer;

/** A score that the scheduler computes. */
export interface BuiltInPrioritizer {
  readonly kind: 'Balance' | 'Steady' | 'ResourceAllocatableCPU' | 'ResourceAllocatableMemory';
  readonly name: string;
  readonly weight: number;
}

/** A score that an add-on keeps for each cluster. */
export interface AddOnPrioritizer {
  readonly kind: 'AddOn';
  /** `AddOn/<resource>/<score>`. */
  readonly name: string;
  readonly weight: number;
  readonly resource: string;
  readonly score: string;
}

type BuiltInKind = BuiltInPrioritizer['kind'];
type Configuration = NonNullable<NonNullable<PlacementSpec['prioritizerPolicy']>['configurations']>[number];

const builtInKinds: readonly BuiltInKind[] = [
  'Balance',
  'Steady',
  'ResourceAllocatableCPU',
  'ResourceAllocatableMemory',
];
const defaults: readonly BuiltInKind[] = ['Balance', 'Steady'];
const isBuiltIn = (name: string): name is BuiltInKind => builtInKinds.some((kind) => kind === name);

/** The prioritizers of a spec whose weight is not 0. Throws MisconfiguredError. */
export function prioritizersOf(policy: PlacementSpec['prioritizerPolicy']): readonly Prioritizer[] {
  const mode = policy?.mode || 'Additive';
  if (mode !== 'Additive' && mode !== 'Exact') {
    throw new MisconfiguredError('', `incorrect prioritizer policy mode: ${mode}`);
  }
  const builtIns = new Map<BuiltInKind, number>(mode === 'Additive' ? defaults.map((kind) => [kind, 1]) : []);
  // A repeated AddOn configuration counts each time, as in OCM; of repeated built-in ones the last counts.
  const addOns: AddOnPrioritizer[] = [];
  for (const configuration of policy?.configurations ?? []) {
    const { kind, weight } = readConfiguration(configuration);
    if (typeof kind === 'string') builtIns.set(kind, weight);
    else addOns.push({ ...kind, weight });
  }
  const built = [...builtIns].map(([kind, weight]) => ({ kind, name: kind, weight }));
  return [...built, ...addOns].filter(({ weight }) => weight !== 0);
}

function readConfiguration({ scoreCoordinate, weight = 1 }: Partial<Configuration>): {
  readonly kind: BuiltInKind | Omit<AddOnPrioritizer, 'weight'>;
  readonly weight: number;
} {
  if (!scoreCoordinate) throw new MisconfiguredError('', 'scoreCoordinate field is required');
  const { type, builtIn = '', addOn } = scoreCoordinate;
  if (type === 'BuiltIn') {
    if (!isBuiltIn(builtIn)) throw new MisconfiguredError('', `incorrect builtin prioritizer: ${builtIn}`);
    return { kind: builtIn, weight };
  }
  if (!addOn) throw new MisconfiguredError('', 'addOn should not be empty');
  const { resourceName: resource, scoreName: score } = addOn;
  const name = `AddOn/${resource}/${score}`;
  return { kind: { kind: 'AddOn', name, resource, score }, weight };
}

/** The score of a cluster by how many decisions of other placements it is in, of which the busiest cluster has `most`. */
export const balanceScore = (count: number, most: number): number =>
  count === 0 ? 100 : 2 * Math.trunc(100 * (0.5 - count / most)) + 0;

/** The score of a cluster by a resource, of which the clusters have between `least` and `most`. */
export const resourceScore = (amount: number, least: number, most: number): number =>
  most === least ? 100 : Math.trunc(((amount - least) / (most - least) - 0.5) * 2 * 100) + 0;

/** What a cluster has that is selected already. */
export const steadyScore = (isDecided: boolean): number => (isDecided ? 100 : 0);
