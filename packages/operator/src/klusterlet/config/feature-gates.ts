import { type FeatureGateName, featureGates, featureGatesOf, type Klusterlet } from '@flotilla/api-types';

type Component = 'spoke-registration' | 'spoke-work';
type Gates = NonNullable<NonNullable<NonNullable<Klusterlet['spec']>['workConfiguration']>['featureGates']>;

/** The gates of one agent. */
export interface ComponentGates {
  /** `X=true` for those that differ from their default. */
  readonly flags: readonly string[];
  /** Those that the agent does not know. */
  readonly invalid: readonly string[];
  /** Whether a gate is on, by the spec or by its default. */
  isOn(name: FeatureGateName): boolean;
}

/** Reads the gates of a component. A gate that is listed twice counts as it is listed last. */
export function componentGates(component: Component, given: Gates = []): ComponentGates {
  const known = featureGatesOf(component);
  const wanted = new Map(given.map(({ feature, mode }) => [feature, mode === 'Enable']));
  const isOn = (name: FeatureGateName): boolean => wanted.get(name) ?? featureGates[name].default;
  const isKnown = (name: string): name is FeatureGateName => known.some((one) => one === name);
  return {
    flags: [...wanted.keys()]
      .filter(isKnown)
      .filter((name) => isOn(name) !== featureGates[name].default)
      .map((name) => `${name}=${isOn(name)}`),
    invalid: [...wanted.keys()].filter((name) => !isKnown(name)),
    isOn,
  };
}
