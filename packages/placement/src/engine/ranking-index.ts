import type { PlacementEntry } from './placement-entry.ts';
import type { SchedulerGates } from './schedule-entry.ts';

/** What the order of feasible clusters may depend on: a prioritizer, the scores of an add-on, or labels and claims. */
type RankingInput = 'ResourceAllocatableCPU' | 'ResourceAllocatableMemory' | `AddOn/${string}` | typeof spreading;

/** Labels and claims, by which a placement spreads its clusters. */
export const spreading = 'spread';

/** The scores of one add-on. */
export const addOnScores = (resource: string): RankingInput => `AddOn/${resource}`;

function* inputsOf({ plan, isRanked, placement }: PlacementEntry, { spread }: SchedulerGates): Iterable<RankingInput> {
  const isSpread = spread === true && (placement.spec?.spreadPolicy?.spreadConstraints ?? []).length > 0;
  if (isSpread) yield spreading;
  if (!isRanked && !isSpread) return;
  for (const prioritizer of plan.prioritizers) {
    if (prioritizer.kind === 'AddOn') yield addOnScores(prioritizer.resource);
    else if (prioritizer.kind !== 'Balance' && prioritizer.kind !== 'Steady') yield prioritizer.kind;
  }
}

/** Placements by what the order of their clusters depends on, so that a change asks only these. */
export class RankingIndex {
  readonly #entries = new Map<RankingInput, Set<PlacementEntry>>();

  add(entry: PlacementEntry, gates: SchedulerGates): void {
    for (const input of inputsOf(entry, gates)) {
      const entries = this.#entries.get(input);
      if (entries) entries.add(entry);
      else this.#entries.set(input, new Set([entry]));
    }
  }

  delete(entry: PlacementEntry): void {
    for (const [input, entries] of this.#entries) {
      if (entries.delete(entry) && entries.size === 0) this.#entries.delete(input);
    }
  }

  /** An input of a cluster changed. */
  touch(input: RankingInput, id: number): void {
    for (const entry of this.#entries.get(input) ?? []) entry.touch(id);
  }
}
