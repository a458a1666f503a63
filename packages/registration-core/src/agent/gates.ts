import { type FeatureGateName, featureGates, featureGatesOf } from '@flotilla/api-types';

/** The gates that a registration agent knows. */
export const agentGateNames: readonly FeatureGateName[] = featureGatesOf('spoke-registration');

/** Each gate of the agent with its value, OCM's default where none is given. */
export const agentGates = (given: Readonly<Record<string, boolean>> = {}): Readonly<Record<string, boolean>> =>
  Object.fromEntries(agentGateNames.map((name) => [name, given[name] ?? featureGates[name].default]));
