import { CelCostError } from '../cost.ts';
import { celValue } from '../values.ts';
import { failure, type Library } from './library.ts';

/** The scores that an add-on keeps for a cluster. */
export type Scores = readonly { readonly name: string; readonly value: number }[];

/** The scores of a cluster by the name of their resource; undefined if there is no such object. */
export type ScoresOf = (cluster: string, resource: string) => Scores | undefined;

/** The functions that condition rules of manifests have beyond Kubernetes'. */
export const conditionFunctions: Library = (environment) => {
  environment.registerFunction('hasConditions(dyn): bool', hasConditions);
};

/** Whether a value is a map with a list of conditions that is not empty. */
function hasConditions(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('conditions' in value)) return false;
  return Array.isArray(value.conditions) && value.conditions.length > 0;
}

/** The functions that predicates of placements have beyond Kubernetes': the scores of a cluster, and JSON inside a string. */
export const placementFunctions =
  (scoresOf: ScoresOf): Library =>
  (environment, charge) => {
    environment.registerFunction('map.scores(string): list', (cluster: unknown, resource: string) => {
      const scores = scoresOf(nameIn(cluster), resource);
      if (!scores) {
        throw failure(
          `failed to get score: addonplacementscore.cluster.open-cluster-management.io "${resource}" not found`,
        );
      }
      charge(10 + 31 * scores.length);
      return scores.map((score) => celValue({ name: score.name, value: score.value }));
    });
    environment.registerFunction('string.parseJSON(): dyn', (text: string) => {
      charge(Math.ceil(text.length / 10));
      try {
        const value = celValue(JSON.parse(text));
        charge(literalCost(value));
        return value;
      } catch (error) {
        if (error instanceof CelCostError) throw error;
        throw failure(`failed to parse json: ${error instanceof Error ? error.message : String(error)}`);
      }
    });
  };

const nameIn = (cluster: unknown): string => {
  if (typeof cluster !== 'object' || cluster === null || !('metadata' in cluster)) return '';
  const { metadata } = cluster;
  if (typeof metadata !== 'object' || metadata === null || !('name' in metadata)) return '';
  return String(metadata.name);
};

/** What a value costs that a function makes: as a literal of the same shape would. */
function literalCost(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + literalCost(item), 10);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, field) => sum + literalCost(field), 30);
}
