/** For tests of add-ons: manifests of one cluster without a hub, and a whole fleet in this process. */

export { type Fleet, type FleetCluster, type FleetOptions, type RunFleetPart, startFleet } from './fleet.ts';
export { contextFor, type RenderInput, renderFor } from './render-for.ts';
