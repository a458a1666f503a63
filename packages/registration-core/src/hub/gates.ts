import { featureGates, featureGatesOf } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';

/** Feature gates by their OCM names. */
export type HubGates = Readonly<Record<string, boolean>>;

/**
 * Every gate of the hub's registration, as given or by OCM's default. Gates of other components are none of its business, since
 * one process may run several; a name that no component knows is refused.
 */
export function resolveGates(given: HubGates = {}): HubGates {
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(featureGates, name)) {
      throw new KubeError('Config', `feature gate "${name}" is not known`, {
        hint: `The gates of the hub are ${featureGatesOf('hub-registration').join(', ')}.`,
      });
    }
  }
  return Object.fromEntries(
    featureGatesOf('hub-registration').map((name) => [name, given[name] ?? featureGates[name].default]),
  );
}
