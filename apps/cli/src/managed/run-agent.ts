import { type Klusterlet, NamespaceName } from '@flotilla/api-types';
import { csrDriver } from '@flotilla/driver-csr';
import {
  type Clock,
  createInformers,
  type KubeClient,
  type Logger,
  secretAccess,
  secretData,
  secrets,
  silentLogger,
} from '@flotilla/kube';
import { createAgent, whileJoined } from '@flotilla/registration-core/agent';
import { bootstrapSecretKey } from './agent-objects.ts';
import { workPart } from './work-part.ts';

/** The agent of a cluster on which `join` was run. */
export interface RunAgentOptions {
  readonly managed: KubeClient;
  /** What `join` wrote down about it. */
  readonly klusterlet: Klusterlet;
  readonly clock: Clock;
  readonly log?: Logger;
  readonly signal: AbortSignal;
  /** Told each time the agent gets to another phase. */
  readonly onPhase?: (phase: AgentPhase) => void;
}

/** Where the agent is on its way. */
export type AgentPhase = 'starting' | 'bootstrapping' | 'joining' | 'running' | 'stopped';

/** Runs the agent, registration and works, in this process until the signal aborts. */
export async function runAgent(options: RunAgentOptions): Promise<void> {
  const { managed, klusterlet, clock, log = silentLogger, signal } = options;
  const { clusterName, registrationConfiguration = {}, externalServerURLs = [] } = klusterlet.spec ?? {};
  const { clientCertExpirationSeconds = 0, clusterAnnotations, featureGates = [] } = registrationConfiguration;
  using informers = createInformers({ client: managed, clock, log });
  const [, name] = bootstrapSecretKey.split('/');
  const cache = informers.resource(secrets, { namespace: NamespaceName.Agent, fieldSelector: `metadata.name=${name}` });
  const bootstrap = secretAccess({
    data: secretData(cache, bootstrapSecretKey),
    origin: `Secret ${bootstrapSecretKey}`,
    clock,
  });
  const agent = createAgent({
    management: managed,
    spoke: managed,
    driver: (context) => csrDriver.agent({ ...context, options: { clientCertExpirationSeconds } }),
    bootstrap,
    options: {
      clusterName,
      namespace: NamespaceName.Agent,
      featureGates: Object.fromEntries(featureGates.map(({ feature, mode }) => [feature, mode === 'Enable'])),
      ...(clusterAnnotations && { clusterAnnotations }),
      ...externalOptions(externalServerURLs),
    },
    clock,
    log,
  });
  const subscription = agent.state$.subscribe(({ phase }) => options.onPhase?.(phase));
  try {
    await Promise.all([agent.run(signal), whileJoined(agent, signal, workPart({ managed, clock, log }))]);
  } finally {
    subscription.unsubscribe();
    bootstrap.close();
  }
}

/** What the agent tells the hub about where this cluster can be reached. An address that nobody could verify is not told. */
function externalOptions(servers: NonNullable<NonNullable<Klusterlet['spec']>['externalServerURLs']>) {
  const verifiable = servers.filter(({ caBundle }) => caBundle !== undefined);
  if (verifiable.length === 0) return {};
  return {
    spokeExternalServerUrls: verifiable.map(({ url }) => url),
    spokeCaBundle: verifiable.map(({ caBundle = '' }) => Buffer.from(caBundle, 'base64').toString()).join('\n'),
  };
}
