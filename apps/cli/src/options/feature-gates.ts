import { type FeatureGateName, featureGatesOf, type GatedComponent } from '@flotilla/api-types';
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
