import { type FeatureGateName, featureGates, featureGatesOf } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';

/** Feature gates by their OCM names. */
export type HubGates = Readonly<Record<string, boolean>>;

/** The gates that a hub knows with OCM's defaults: a table for `featureGatesOption`. */
export const hubGates = Object.fromEntries(
  featureGatesOf('hub-registration').map((name) => [name, featureGates[name]]),
);

/** Every gate of the hub, as given or by default; a name that the hub does not know is refused. */
export function resolveGates(given: HubGates = {}): HubGates {
  const names: readonly string[] = featureGatesOf('hub-registration');
  for (const name of Object.keys(given)) {
    if (!names.includes(name)) {
      throw new KubeError('Config', `feature gate "${name}" is not known to the hub`, {
        hint: `The gates of the hub are ${names.join(', ')}.`,
      });
    }
  }
  const defaults = Object.fromEntries(
    featureGatesOf('hub-registration').map((name: FeatureGateName) => [name, featureGates[name].default]),
  );
  return { ...defaults, ...given };
}
