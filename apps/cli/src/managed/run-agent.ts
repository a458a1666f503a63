import { NamespaceName } from '@flotilla/api-types';
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
import { createAgent } from '@flotilla/registration-core/agent';
import { bootstrapSecretKey } from './agent-objects.ts';

/** The agent of a cluster on which `join` was run. */
export interface RunAgentOptions {
  readonly managed: KubeClient;
  readonly clusterName: string;
  /** 0 leaves the life of certificates to the hub. */
  readonly clientCertExpirationSeconds?: number;
  readonly clock: Clock;
  readonly log?: Logger;
  readonly signal: AbortSignal;
  /** Told each time the agent gets to another phase. */
  readonly onPhase?: (phase: string) => void;
}

/** Runs the registration agent in this process until the signal aborts. */
export async function runAgent(options: RunAgentOptions): Promise<void> {
  const { managed, clusterName, clientCertExpirationSeconds = 0, clock, log = silentLogger, signal } = options;
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
    options: { clusterName, namespace: NamespaceName.Agent },
    clock,
    log,
  });
  const subscription = agent.state$.subscribe(({ phase }) => options.onPhase?.(phase));
  try {
    await agent.run(signal);
  } finally {
    subscription.unsubscribe();
    bootstrap.close();
  }
}
