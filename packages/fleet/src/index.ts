/** A hub, managed clusters and their agents in one process. */
export type { EnableOptions, FleetAddons } from './addons.ts';
export type { FleetBootstrapFlags, FleetDriver } from './fleet-driver.ts';
export { type Fleet, type FleetOptions, startFleet } from './start-fleet.ts';
export type { Until, UntilOptions } from './until.ts';
