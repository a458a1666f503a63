import {
  type Clock,
  createKubeClient,
  defaultAccess,
  inClusterAccess,
  isInCluster,
  type KubeClient,
  kubeconfigAccess,
  type Logger,
  realClock,
  silentLogger,
} from '@flotilla/kube';
import { type AgentCheck, runLease } from './lease.ts';

/** Where an agent finds its clusters. */
export interface AgentRuntimeOptions {
  readonly addonName: string;
  readonly clusterName: string;
  /** The install namespace. */
  readonly namespace: string;
  /** Path of the kubeconfig in the mounted Secret `<addon>-hub-kubeconfig`. Without it the agent has no access to the hub. */
  readonly hubKubeconfig?: string;
  /** Path of a kubeconfig of the managed cluster; without it, the cluster in which this process runs. */
  readonly managedKubeconfig?: string;
  readonly clock?: Clock;
  readonly log?: Logger;
}

/** What the agent of an add-on works with. Credentials that are renewed on disk serve the next request, without a restart. */
export interface AgentRuntime extends AsyncDisposable {
  readonly addonName: string;
  readonly clusterName: string;
  readonly namespace: string;
  readonly managed: KubeClient;
  /** The cluster in which the agent runs: in hosted mode the hosting cluster, else the managed one. The lease is there. */
  readonly local: KubeClient;
  /** Undefined without access to the hub. */
  readonly hub?: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** Renews the lease by which the hub knows that the agent is well, until the signal aborts. */
  runLease(signal: AbortSignal, checks?: readonly AgentCheck[]): Promise<void>;
  close(): Promise<void>;
}

/** Connects the agent of an add-on to its two clusters. */
export function agentRuntime(options: AgentRuntimeOptions): AgentRuntime {
  const { addonName, clusterName, namespace, hubKubeconfig, managedKubeconfig } = options;
  const { clock = realClock, log = silentLogger } = options;
  const userAgent = `${addonName}-agent`;
  const open = (access: ReturnType<typeof kubeconfigAccess>) => {
    const client = createKubeClient({ access, clock, log, userAgent, fieldManager: userAgent });
    const close = async () => {
      await client.close();
      access.close();
    };
    return { client, close };
  };
  const managed = open(
    managedKubeconfig ? kubeconfigAccess({ files: managedKubeconfig, clock }) : defaultAccess({ clock }),
  );
  // A pod that is given the managed cluster by a kubeconfig runs on another one.
  const hosting = managedKubeconfig && isInCluster() ? open(inClusterAccess({ clock })) : undefined;
  const hub = hubKubeconfig ? open(kubeconfigAccess({ files: hubKubeconfig, clock })) : undefined;
  const close = async () => {
    await Promise.all([managed.close(), hosting?.close(), hub?.close()]);
  };
  const local = (hosting ?? managed).client;
  return {
    ...{ addonName, clusterName, namespace, clock, log, close },
    managed: managed.client,
    local,
    ...(hub && { hub: hub.client }),
    runLease: (signal, checks = []) =>
      runLease({
        ...{ addonName, namespace, signal, checks, clock, log },
        local,
        ...(hub && { hub: { client: hub.client, clusterName } }),
      }),
    [Symbol.asyncDispose]: close,
  };
}
