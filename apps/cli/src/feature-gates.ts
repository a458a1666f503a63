import { type FeatureGateName, featureGates, featureGatesOf, type GatedComponent } from '@flotilla/api-types';
import { CliError } from './errors.ts';

/** Feature gates as a user gave them: known to the component, and true or false. */
export function checkFeatureGates(
  component: GatedComponent,
  given: Readonly<Record<string, string>> = {},
): Readonly<Partial<Record<FeatureGateName, boolean>>> {
  const known = featureGatesOf(component);
  const wrong = (problem: string) =>
    new CliError('usage', `--feature-gates ${problem}`, `Write NAME=true or NAME=false, of ${known.join(', ')}.`);
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (!known.some((gate) => gate === name)) throw wrong(`${name} is not known`);
      if (value !== 'true' && value !== 'false') throw wrong(`${name}=${value} is neither true nor false`);
      return [name, value === 'true'];
    }),
  );
}

/** What a Klusterlet says about its gates, as OCM writes it: what is on, and what is off although it is on by default. */
export const gateModes = (
  component: GatedComponent,
  given: Readonly<Partial<Record<FeatureGateName, boolean>>>,
): { feature: string; mode: 'Enable' | 'Disable' }[] =>
  featureGatesOf(component)
    .map((feature) => ({ feature, byDefault: featureGates[feature].default }))
    .map(({ feature, byDefault }) => ({ feature, byDefault, on: given[feature] ?? byDefault }))
    .filter(({ on, byDefault }) => on || byDefault)
    .map(({ feature, on }) => ({ feature, mode: on ? 'Enable' : 'Disable' }));
