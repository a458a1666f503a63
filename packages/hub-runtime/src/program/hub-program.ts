import type { Driver } from '@flotilla/registration-core/contract';

/** A hub as a program of its own. */
export interface HubProgram {
  /** As the user calls it. */
  readonly name: string;
  readonly version: string;
  /** The auth types of this hub. The first is enabled by default. */
  readonly drivers: readonly Driver[];
  /** By which add-ons of pushed clusters may register, in the order of preference. Default: none. */
  readonly addonDrivers?: readonly Driver[];
}
