/** The operator of ClusterManagers. */
export { retiredSelector } from './hub-nodes.ts';

export { runHubOperator } from './run-hub-operator.ts';
export type { HubOperatorDeps, HubOperatorSettings, OperatedDriver } from './settings.ts';
