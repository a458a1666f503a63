import { featureGates, featureGatesOf, type GatedComponent } from '@flotilla/api-types';
import { logFormats, logLevels } from '../log/create-logger.ts';
import { defineOptions, type GatesDefinition } from './options/definition.ts';
import type { FeatureGates, FeatureStage } from './options/feature-gates.ts';

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
      'Most requests a second; 0 is no limit, because the server sheds load by itself (priority and fairness).',
  },
  kubeApiBurst: {
    type: 'integer',
    default: 100,
    min: 1,
    group: 'API server',
    description: 'Requests that may exceed kube-api-qps for a moment.',
  },
});

/** Who leads, with the flags and times of OCM. */
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
    group: 'Leader election',
    description: 'How long a candidate waits after the last renewal before it takes the lease over.',
  },
  leaderElectionRenewDeadline: {
    type: 'duration',
    default: '107s',
    min: '1s',
    group: 'Leader election',
    description: 'How long the leader tries to renew before it gives up. Shorter than the lease duration.',
  },
  leaderElectionRetryPeriod: {
    type: 'duration',
    default: '26s',
    min: '100ms',
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
    description: 'Log lines for machines or for people. Without it: text on a terminal, json elsewhere.',
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
  listen: {
    type: 'string',
    default: '127.0.0.1:8443',
    group: 'Health and metrics',
    description: 'Address of /healthz, /livez, /readyz and /metrics; 0.0.0.0:8443 for probes from outside, 0 for none.',
  },
  tlsCertFile: {
    type: 'string',
    group: 'Health and metrics',
    description:
      'Certificate (PEM) to serve with. With it the endpoint is HTTPS; a new file is served without restart.',
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

const stages = { Alpha: 'alpha', Beta: 'beta' } as const satisfies Record<string, FeatureStage>;

/** OCM's gates of components, with their defaults, for `featureGatesOption`: a process of several has those of all. */
export const gatesOf = (...components: readonly GatedComponent[]): FeatureGates =>
  Object.fromEntries(
    components.flatMap(featureGatesOf).map((name) => {
      const { default: on, stage, meaning } = featureGates[name];
      return [name, { default: on, stage: stages[stage], description: meaning }];
    }),
  );
