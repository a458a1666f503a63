import { DataKey } from '@flotilla/api-types';
import { backoffMs, createInformers, createKubeClient, KubeError } from '@flotilla/kube';
import type { StoredCredentials } from '../contract/index.ts';
import type { AgentContext, PhaseScope } from './context.ts';
import { keepCredentials } from './credentials/credential-loop.ts';
import { formatHubKubeconfig } from './credentials/hub-kubeconfig.ts';
import { ensureManagedCluster } from './join/ensure-managed-cluster.ts';

const retry = { baseMs: 1000, maxMs: 60_000 };

/** What is stored beside the credentials that a driver obtains. */
export function additionalData({ identity, driver }: AgentContext, { endpoint }: PhaseScope): StoredCredentials {
  const user = driver.kubeconfigUser();
  return {
    ...(user && { [DataKey.Kubeconfig]: formatHubKubeconfig(endpoint, user) }),
    [DataKey.ClusterName]: identity.clusterName,
    [DataKey.AgentName]: identity.agentName,
  };
}

/** Asks the hub to accept the cluster and for credentials, with the bootstrap credentials, until there are some. */
export async function runBootstrapping(
  context: AgentContext,
  scope: PhaseScope,
  { keepCredentials: isKeeping }: { readonly keepCredentials: boolean },
): Promise<void> {
  const { bootstrap, clock, log, random, driver, store, send, connect } = context;
  const { signal } = scope;
  const hub = createKubeClient({ transport: connect(bootstrap), clock, log, fieldManager: 'registration-agent' });
  const informers = createInformers({ client: hub, clock, log, random });

  /** Resolves when the hub knows the cluster; with credentials at hand one refusal is enough to go on and wait with those. */
  const introduce = async (): Promise<void> => {
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        const outcome = await ensureManagedCluster(hub, context.description, { create: true, log, signal });
        if (typeof outcome === 'string' || isKeeping) return;
        log.warn('the hub refuses the bootstrap credentials', { refusal: outcome.refused });
      } catch (error) {
        if (signal.aborted) return;
        log.warn('cannot tell the hub about the cluster', { error: KubeError.from(error) });
      }
      await clock.sleep(backoffMs(retry, failures, random()), signal).catch(() => undefined);
    }
  };

  try {
    if (isKeeping) {
      await introduce();
      if (!signal.aborted) send({ type: 'credentialsUsable' });
      return;
    }
    await Promise.all([
      introduce(),
      keepCredentials({
        driver,
        connection: { hub, informers, signal },
        store,
        additional: additionalData(context, scope),
        startEmpty: true,
        onStored: (stored) => {
          if (driver.judge(stored).usable) send({ type: 'credentialsUsable' });
        },
        onWaiting: (why) => log.info('waiting for the hub', { why }),
        clock,
        log,
        random,
      }),
    ]);
  } finally {
    informers.close();
    await hub.close();
  }
}
