/** The charts of operators: what they install, without Helm. */
export { alertRules } from './alerts.ts';
export { valuesErrors } from './check-values.ts';
export {
  type ClusterManagerRelease,
  clusterManagerDefinitions,
  clusterManagerObjects,
} from './cluster-manager-chart.ts';
export { fleetDashboard } from './dashboard.ts';
export { clusterManagerDefaults, defaultRegistry, klusterletDefaults } from './defaults.ts';
export type { ChartRelease } from './images.ts';
export {
  klusterletDefinitions,
  klusterletNames,
  klusterletObjects,
  klusterletOperatorObjects,
} from './klusterlet-chart.ts';
export { klusterletOperatorRules } from './klusterlet-rules.ts';
export { mergeValues } from './merge-values.ts';
export type {
  ClusterManagerChartValues,
  GivenValues,
  ImageCredentials,
  KlusterletChartValues,
  OperatorValues,
} from './values.ts';
export { clusterManagerValuesSchema, klusterletValuesSchema, operatorValueKeys } from './values-schema.ts';
