import { featureGates, featureGatesOf } from '@flotilla/api-types';

/** Feature gates by their OCM names. */
export type WorkGates = Readonly<Record<string, boolean>>;

/** Each gate of the hub's side of work with its value, OCM's default where none is given; gates of other components are left out. */
export const workGates = (given: WorkGates = {}): WorkGates =>
  Object.fromEntries(featureGatesOf('hub-work').map((name) => [name, given[name] ?? featureGates[name].default]));
