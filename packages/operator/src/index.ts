/** Operators as functions, for a program of your own. */
export {
  type HubOperatorDeps,
  type HubOperatorSettings,
  type OperatedDriver,
  runHubOperator,
} from './cluster-manager/index.ts';
export { createKlusterletOperator, type KlusterletOperator } from './klusterlet/create-klusterlet-operator.ts';
export type { KlusterletOperatorInput, KlusterletOperatorOptions } from './klusterlet/deps.ts';
