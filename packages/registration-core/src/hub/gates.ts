import { type FeatureGateValues, featureGates, featureGatesOf, featureGateValues } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';

/**
 * Every gate of the hub's registration, as given or by OCM's default. Gates of other components are none of its business, since
 * one process may run several; a name that no component knows is refused.
 */
export function resolveGates(given: FeatureGateValues = {}): FeatureGateValues {
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(featureGates, name)) {
      throw new KubeError('Config', `feature gate "${name}" is not known`, {
        hint: `The gates of the hub are ${featureGatesOf('hub-registration').join(', ')}.`,
      });
    }
  }
  return featureGateValues('hub-registration', given);
}
