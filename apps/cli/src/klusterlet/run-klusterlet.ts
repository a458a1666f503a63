import { runAgent } from '@flotilla/agent-runtime';
import { type Klusterlet, NamespaceName } from '@flotilla/api-types';
import { bootstrapSecretKey } from '@flotilla/install';
import {
  type Clock,
  type ClusterAccess,
  createInformers,
  type KubeClient,
  type Logger,
  silentLogger,
  staticAccess,
} from '@flotilla/kube';
import { secretData, secrets } from '@flotilla/kube/kinds';
import { type AgentState, secretFiles } from '@flotilla/registration-core/agent';
import { addonDrivers } from '../drivers/addon-drivers.ts';
import { registrationDriver } from '../drivers/registration-drivers.ts';

/** The agent of a cluster on which `join` was run. */
export interface RunKlusterletOptions {
  readonly managed: KubeClient;
  /** How the cluster is reached over the network, for users of the hub. Absent: they cannot reach it. */
  readonly access?: ClusterAccess;
  /** What `join` recorded about it. */
  readonly klusterlet: Klusterlet;
  readonly clock: Clock;
  readonly log?: Logger;
  readonly signal: AbortSignal;
  /** Called when the agent enters another phase. */
  readonly onPhase?: (phase: AgentPhase) => void;
  /** Called with what an administrator has to fix before the cluster can be on the hub. */
  readonly onObstacle?: (message: string) => void;
}

/** Where the agent is on its way. */
export type AgentPhase = AgentState['phase'];

/** Runs the agent of a Klusterlet in this process until the signal aborts. */
export async function runKlusterlet(options: RunKlusterletOptions): Promise<void> {
  const { managed, klusterlet, clock, log = silentLogger, signal } = options;
  const { clusterName, registrationConfiguration = {}, externalServerURLs = [] } = klusterlet.spec ?? {};
  const {
    clusterAnnotations,
    clusterLabels,
    featureGates = [],
    addOnKubeClientRegistrationDriver,
  } = registrationConfiguration;
  using informers = createInformers({ client: managed, clock, log });
  const [, name] = bootstrapSecretKey.split('/');
  const cache = informers.resource(secrets, { namespace: NamespaceName.Agent, fieldSelector: `metadata.name=${name}` });
  const bootstrapFiles = secretFiles(secretData(cache, bootstrapSecretKey), {
    origin: `Secret ${bootstrapSecretKey}`,
    clock,
  });
  const gates = Object.fromEntries(featureGates.map(({ feature, mode }) => [feature, mode === 'Enable']));
  const isReachable = gates.ClusterProxy && options.access !== undefined;
  const lastState: { phase?: AgentPhase; obstacle?: string | undefined } = {};
  await runAgent({
    management: managed,
    spoke: managed,
    driver: registrationDriver(registrationConfiguration.registrationDriver?.authType).join.bind(
      registrationConfiguration,
    ),
    addonDrivers: addonDrivers(registrationConfiguration),
    bootstrapFiles,
    options: {
      clusterName,
      namespace: NamespaceName.Agent,
      // Default: as the driver of the cluster does it.
      addonAuth: addOnKubeClientRegistrationDriver?.authType ?? '',
      featureGates: gates,
      ...(clusterAnnotations && { clusterAnnotations }),
      ...(clusterLabels && { clusterLabels }),
      ...externalOptions(externalServerURLs),
    },
    ...(isReachable && options.access && { proxy: { spoke: staticAccess(options.access) } }),
    clock,
    log,
    signal,
    onState(state) {
      const { phase } = state;
      const obstacle = 'obstacle' in state ? state.obstacle?.message : undefined;
      if (phase !== lastState.phase) options.onPhase?.(phase);
      if (obstacle !== undefined && obstacle !== lastState.obstacle) options.onObstacle?.(obstacle);
      Object.assign(lastState, { phase, obstacle });
    },
  });
}

/** Where the hub can reach this cluster, as the agent reports it. An address that cannot be verified is not reported. */
function externalOptions(servers: NonNullable<NonNullable<Klusterlet['spec']>['externalServerURLs']>) {
  const verifiable = servers.filter(({ caBundle }) => caBundle !== undefined);
  if (verifiable.length === 0) return {};
  return {
    spokeExternalServerUrls: verifiable.map(({ url }) => url),
    spokeCaBundle: verifiable.map(({ caBundle = '' }) => Buffer.from(caBundle, 'base64').toString()).join('\n'),
  };
}
