import { type FeatureGateName, featureGates, featureGatesOf, type GatedComponent } from '@flotilla/api-types';
import { featureGateModes } from '@flotilla/install';
import { CliError } from '../errors/cli-error.ts';

/** Feature gates as flags take them: `A=true,B=false`. */
export const formatFeatureGates = (gates: Readonly<Record<string, boolean>>): string =>
  Object.entries(gates)
    .map(([name, on]) => `${name}=${on}`)
    .join(',');

/** Feature gates as a user gave them: known to one of the components, and true or false. */
export function checkFeatureGates(
  components: readonly GatedComponent[],
  given: Readonly<Record<string, string>> = {},
): Readonly<Partial<Record<FeatureGateName, boolean>>> {
  const known = [...new Set(components.flatMap(featureGatesOf))];
  const wrong = (message: string) =>
    new CliError('usage', `--feature-gates ${message}`, `Write NAME=true or NAME=false, of ${known.join(', ')}.`);
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (!known.some((gate) => gate === name)) throw wrong(`${name} is not known`);
      if (value !== 'true' && value !== 'false') throw wrong(`${name}=${value} is neither true nor false`);
      return [name, value === 'true'];
    }),
  );
}

type Modes = readonly { readonly feature: string; readonly mode?: string }[];
type Gates = Readonly<Partial<Record<FeatureGateName, boolean>>>;

/** The gates that a ClusterManager or Klusterlet sets to another value than the default, as far as this program knows them. */
export const recordedGates = (components: readonly GatedComponent[], lists: readonly (Modes | undefined)[]): Gates => {
  const known = new Set<string>(components.flatMap(featureGatesOf));
  const set = lists.flatMap((list) => list ?? []).filter(({ feature }) => known.has(feature));
  const gates = set.map(({ feature, mode }) => [feature as FeatureGateName, mode === 'Enable'] as const);
  return Object.fromEntries(gates.filter(([gate, on]) => featureGates[gate].default !== on));
};

/** A part of a ClusterManager or Klusterlet with the given gates; the other gates stay, also those of other programs. */
export function withGates<T extends object>(
  component: GatedComponent,
  part: T | undefined,
  given: Gates,
): T | undefined {
  const asked = featureGatesOf(component).filter((gate) => given[gate] !== undefined);
  if (asked.length === 0) return part;
  const before = (part && 'featureGates' in part ? part.featureGates : []) as ReturnType<typeof featureGateModes>;
  const changed = featureGateModes(component, given).filter(({ feature }) => asked.some((gate) => gate === feature));
  const others = before.filter(({ feature }) => !asked.some((gate) => gate === feature));
  return { ...part, featureGates: [...others, ...changed] } as unknown as T;
}
