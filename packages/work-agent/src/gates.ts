import { type FeatureGateName, featureGates, featureGatesOf } from '@flotilla/api-types';

/** The gates that a work agent knows. */
export const workAgentGateNames: readonly FeatureGateName[] = featureGatesOf('spoke-work');

/** Each gate of the agent with its value, OCM's default where none is given. */
export const workAgentGates = (given: Readonly<Record<string, boolean>> = {}): Readonly<Record<string, boolean>> =>
  Object.fromEntries(workAgentGateNames.map((name) => [name, given[name] ?? featureGates[name].default]));
