/** A hub, managed clusters and their agents in one process. */
export { type Fleet, type FleetOptions, startFleet } from './start-fleet.ts';
