import { DataKey } from '@flotilla/api-types';
import { backoffMs, createInformers, createKubeClient, KubeError } from '@flotilla/kube';
import type { StoredCredentials } from '../contract/index.ts';
import type { AgentContext, PhaseScope } from './context.ts';
import { keepCredentials } from './credentials/credential-loop.ts';
import { formatHubKubeconfig, type HubEndpoint } from './credentials/hub-kubeconfig.ts';
import { checkBootstrap } from './hubs/bootstrap-check.ts';
import { watchHub } from './hubs/hub-watch.ts';
import { ensureManagedCluster } from './join/ensure-managed-cluster.ts';

const retry = { baseMs: 1000, maxMs: 30_000 };

/** What is stored beside the credentials that a driver obtains. */
export function additionalData({ identity, driver }: AgentContext, endpoint: HubEndpoint): StoredCredentials {
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
  const { identity, clock, log, random, driver, store, send, connect } = context;
  const { signal, bootstrap, endpoint } = scope;
  const hub = createKubeClient({ transport: connect(bootstrap), clock, log, fieldManager: 'registration-agent' });
  const informers = createInformers({ client: hub, clock, log, random });

  /** One attempt to make the cluster known; the reason if that did not work. */
  const introduce = async (): Promise<{ kind: 'taken' | 'refused' | 'failed'; message: string } | undefined> => {
    try {
      const outcome = await ensureManagedCluster(hub, context.description, { create: true, log, signal });
      return typeof outcome === 'string' ? undefined : outcome;
    } catch (error) {
      return { kind: 'failed', message: KubeError.from(error).message };
    }
  };
  /** Tries until the hub knows the cluster, or until `isEnough` of a problem. */
  const introduceUntil = async (isEnough: (kind: 'taken' | 'refused' | 'failed') => boolean): Promise<void> => {
    for (let failures = 1; !signal.aborted; failures += 1) {
      const problem = await introduce();
      if (!problem || signal.aborted) return;
      log.warn('cannot ask the hub to accept the cluster', { problem: problem.kind, why: problem.message });
      if (isEnough(problem.kind)) return;
      await clock.sleep(backoffMs(retry, failures, random()), signal).catch(() => undefined);
    }
  };

  if (context.gates.MultipleHubs) {
    const asking = { clusterName: identity.clusterName, rights: driver.bootstrapRights ?? [], signal };
    watchHub({
      timeoutMs: context.options.hubConnectionTimeoutSeconds * 1000,
      check: () => checkBootstrap(hub, asking),
      onLost: (message) => send({ type: 'hubLost', server: endpoint.server, message }),
      clock,
      log,
      signal,
    });
  }

  try {
    // With the name of another cluster nothing may be asked for: it would be that cluster's identity.
    await introduceUntil((kind) => kind !== 'taken' && (kind === 'refused' || !isKeeping));
    if (signal.aborted) return;
    if (isKeeping) {
      send({ type: 'credentialsUsable' });
      return;
    }
    await Promise.all([
      introduceUntil(() => false),
      keepCredentials({
        driver,
        connection: { hub, informers, signal },
        store,
        additional: () => additionalData(context, endpoint),
        startEmpty: true,
        storeNotes: true,
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
