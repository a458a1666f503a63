import { logFormats, logLevels } from './log/create-logger.ts';
import { defineOptions, type GatesDefinition } from './options/definition.ts';
import type { FeatureGates } from './options/feature-gates.ts';

/** How to reach the API server. */
export const kubeOptions = defineOptions({
  kubeconfig: {
    type: 'string',
    group: 'API server',
    description:
      'Path of a kubeconfig. Without it: KUBECONFIG, then ~/.kube/config, then the service account of the pod.',
  },
  context: {
    type: 'string',
    group: 'API server',
    description: 'Context of the kubeconfig, instead of its current one.',
  },
  kubeApiQps: {
    type: 'number',
    default: 0,
    min: 0,
    group: 'API server',
    description:
      'Maximum requests per second; 0 means no limit, because the server sheds load by itself (priority and fairness).',
  },
  kubeApiBurst: {
    type: 'integer',
    default: 100,
    min: 1,
    zeroIsDefault: true,
    group: 'API server',
    description: 'Requests that may exceed kube-api-qps for a moment.',
  },
});

/** Who leads. The times are those of OpenShift's library-go, which outlive the restart of an API server. */
export const leaderElectionOptions = defineOptions({
  disableLeaderElection: {
    type: 'boolean',
    group: 'Leader election',
    description: 'Run without a lease: for a single replica only.',
  },
  leaderElectionLeaseDuration: {
    type: 'duration',
    default: '137s',
    min: '1s',
    zeroIsDefault: true,
    group: 'Leader election',
    description: 'How long a candidate waits after the last renewal before it takes the lease over.',
  },
  leaderElectionRenewDeadline: {
    type: 'duration',
    default: '107s',
    min: '1s',
    zeroIsDefault: true,
    group: 'Leader election',
    description: 'How long the leader tries to renew before it gives up. Shorter than the lease duration.',
  },
  leaderElectionRetryPeriod: {
    type: 'duration',
    default: '26s',
    min: '100ms',
    zeroIsDefault: true,
    group: 'Leader election',
    description: 'Time between two tries to get or renew the lease.',
  },
  namespace: {
    type: 'string',
    group: 'Leader election',
    description: 'Namespace of this component, where its lease lives. Without it: the one of the service account.',
  },
});

/** What every process has: log, health and metrics endpoint, profiling, shutdown. `runProcess` adds them by itself. */
export const processOptions = defineOptions({
  loggingFormat: {
    type: 'choice',
    choices: logFormats,
    group: 'Log',
    description: 'Format of log lines: for machines or human-readable. Default: text on a terminal, json elsewhere.',
  },
  logLevel: {
    type: 'choice',
    choices: logLevels,
    default: 'info',
    group: 'Log',
    description: 'The least important lines to write.',
  },
  verbosity: {
    type: 'integer',
    flag: 'v',
    short: 'v',
    default: 0,
    min: 0,
    group: 'Log',
    description: 'As for other Kubernetes components: 4 and more is --log-level=debug.',
  },
  vmodule: {
    type: 'string',
    group: 'Log',
    deprecated: 'levels of single source files do not exist here; use --v',
    description: 'Ignored; there because other Kubernetes components have it.',
  },
  logFlushFrequency: {
    type: 'duration',
    group: 'Log',
    deprecated: 'each line is written at once',
    description: 'Ignored; there because other Kubernetes components have it.',
  },
  listen: {
    type: 'string',
    default: '127.0.0.1:8443',
    group: 'Health and metrics',
    description:
      'Address of /healthz, /livez, /readyz and /metrics; 0.0.0.0:8443 for probes from outside, 0 for none. Beyond loopback it is HTTPS, and metrics need a token whose user may get /metrics.',
  },
  tlsCertFile: {
    type: 'string',
    group: 'Health and metrics',
    description:
      'Certificate (PEM) to serve with; a new file is served without restart. Without it: HTTP on loopback, elsewhere a certificate that the process makes for itself.',
  },
  tlsPrivateKeyFile: {
    type: 'string',
    group: 'Health and metrics',
    description: 'Private key (PEM) of tls-cert-file.',
  },
  tlsMinVersion: {
    type: 'choice',
    choices: ['VersionTLS12', 'VersionTLS13'],
    default: 'VersionTLS12',
    group: 'Health and metrics',
    description: 'The oldest TLS version to serve.',
  },
  tlsCipherSuites: {
    type: 'list',
    group: 'Health and metrics',
    description: 'Cipher suites to serve, by their IANA names. Without it: the secure ones of Node.',
  },
  profiling: {
    type: 'boolean',
    group: 'Debugging',
    description:
      'Serve /debug/profile/cpu, /debug/profile/heap, /debug/heap-stats and /debug/log-level to this host only.',
  },
  profilingAllowRemote: {
    type: 'boolean',
    group: 'Debugging',
    description: 'Serve them to other hosts too. A heap snapshot contains every secret in memory.',
  },
  shutdownGracePeriod: {
    type: 'duration',
    default: '10s',
    group: 'Shutdown',
    description: 'How long work in progress may take to end after SIGTERM or SIGINT.',
  },
});

/** The `--feature-gates` of a process; what the code gets has a boolean for each gate of the table. */
export const featureGatesOption = <const G extends FeatureGates>(gates: G) =>
  ({
    type: 'gates',
    flag: 'feature-gates',
    group: 'Features',
    description: 'Features to switch on or off.',
    gates,
  }) as const satisfies GatesDefinition;
