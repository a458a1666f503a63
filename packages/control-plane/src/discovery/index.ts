export { discoveryHandlers } from './handlers.ts';
export type { HealthChecks } from './health.ts';
export { createTableMaker } from './tables/table.ts';
export { serverVersion } from './version.ts';
