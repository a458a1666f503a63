/** What every process needs: options, log, metrics, health, profiling, signals. Apart from the root, so that a library user does not load it. */

export { formatDuration, parseDuration } from '@flotilla/kube/meta';
export { type ConnectingProcess, type ConnectKubeOptions, connectKube } from './connect-kube.ts';
export { type DebugOptions, debugRoutes } from './debug/debug-routes.ts';
export { exitCodeOf, exitCodes } from './exit-code.ts';
export {
  type CheckResult,
  Health,
  type HealthCheck,
  type HealthEndpoint,
  type HealthOptions,
  type HealthReport,
} from './health/health.ts';
export { healthRoutes } from './health/health-routes.ts';
export {
  createLogger,
  type LogDestination,
  type LogFormat,
  type LoggerOptions,
  type LogLevel,
  logFormats,
  logLevels,
  type ProcessLogger,
} from './log/create-logger.ts';
export { type SerializedError, serializeError } from './log/serialize-error.ts';
export {
  type CounterMetric,
  type GaugeMetric,
  type HistogramMetric,
  type Labels,
  type MetricDefinition,
  Metrics,
  type MetricsOptions,
  secondsBuckets,
} from './metrics/metrics.ts';
export { type KitMetricsFactory, kitMetricsFor } from './metrics/prometheus-kit-metrics.ts';
export { featureGatesOption, kubeOptions, leaderElectionOptions, processOptions } from './option-groups.ts';
export {
  defineOptions,
  flagOf,
  type OptionDefinition,
  type OptionDefinitions,
  type OptionValue,
  type OptionValues,
} from './options/definition.ts';
export type { FeatureGate, FeatureGates, FeatureStage } from './options/feature-gates.ts';
export { helpText, referenceTable } from './options/help.ts';
export { type ParsedOptions, type ParseOptionsInput, parseOptions } from './options/parse-options.ts';
export type { OptionSource } from './options/source.ts';
export { nodeHost, type ProcessHost } from './process-host.ts';
export { type Command, runCommand } from './run-command.ts';
export { componentNamespace, type ElectedProcess, type ElectedWork, runElected } from './run-elected.ts';
export { type ProcessContext, type ProcessDefinition, runProcess } from './run-process.ts';
export { servingTls } from './serve-process.ts';
export { cipherList } from './serving/cipher-suites.ts';
export {
  type Authorizer,
  type CallerReview,
  type DelegatedAuthorizerOptions,
  delegatedAuthorizer,
  delegatedReview,
  protectRoute,
} from './serving/delegated-authorizer.ts';
export { type ListenAddress, parseListenAddress } from './serving/listen-address.ts';
export { metricsRoute } from './serving/metrics-route.ts';
export { bodyOf } from './serving/request-body.ts';
export type { Reply, Route, ServedRequest } from './serving/route.ts';
export { type RunningServer, type ServeOptions, serve } from './serving/serve.ts';
export { type ServeSecuredOptions, serveSecured } from './serving/serve-secured.ts';
export {
  followServingCertificate,
  readServingCertificate,
  type ServingTls,
  secureContextOf,
  type TlsSettings,
} from './serving/serving-certificate.ts';
