export { type DiscoveryHandlerOptions, discoveryHandlers } from './handlers.ts';
export type { HealthCheck, HealthChecks } from './health.ts';
export { createTableMaker } from './tables/table.ts';
export { serverVersion } from './version.ts';
