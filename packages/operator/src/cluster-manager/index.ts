/** The operator of ClusterManagers. */
export { retiredSelector } from './control-plane-nodes.ts';

export { runHubOperator } from './run-hub-operator.ts';
export type { HubOperatorDeps, HubOperatorSettings, OperatedDriver } from './settings.ts';
