import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FieldManager } from '@flotilla/api-types';
import {
  type AccessSource,
  type ClusterAccess,
  createKubeClient,
  type KubeClient,
  KubeError,
  kubeconfigAccess,
} from '@flotilla/kube';
import { createTransport, type Transport } from '@flotilla/kube/transport';
import { connectKube, type kubeOptions, type OptionValues, type ProcessContext } from '@flotilla/process';
import { createWorkAgent } from './agent.ts';
import type { workAgentFlags, workFlags } from './flags.ts';
import { hubHashOf } from './hub-hash.ts';

/** What a process is given by `runProcess`, as far as the work part of an agent needs it. */
export type WorkProcess = Pick<ProcessContext<Record<never, never>>, 'signal' | 'clock' | 'log' | 'kitMetrics'> & {
  readonly options: OptionValues<typeof workFlags> & {
    readonly featureGates: Readonly<Record<string, boolean>>;
  };
};

/** The hub that works come from, and who asks. */
export interface WorkSource {
  /** Connects to the hub, whatever protocol that takes. Credentials and the address in use may change underneath. */
  readonly connect: () => { readonly transport: Transport };
  /** The address by which the cluster joined: it identifies the hub, whichever of its addresses is in use. */
  readonly server: string;
  /** Another address that the hub announced; earlier agents took it for another hub while they used it. */
  readonly announced?: string;
  readonly clusterName: string;
  /** What `--agent-id` says. Empty: the hash of the hub. */
  readonly agentID: string;
  /** What this agent was called before. */
  readonly formerAgentIDs?: readonly string[];
}

/** Works for a hub until the signal aborts. `spoke` is the managed cluster, as field manager `work-agent`. */
export async function runWork(context: WorkProcess, source: WorkSource, spoke: KubeClient): Promise<void> {
  const { options, signal, clock, log, kitMetrics } = context;
  const { transport } = source.connect();
  const hub = createKubeClient({
    transport,
    clock,
    log: log.child({ client: 'hub' }),
    fieldManager: FieldManager.WorkAgent,
  });
  const agent = createWorkAgent({
    hub,
    spoke,
    clusterName: source.clusterName,
    hubHash: hubHashOf(source.server),
    formerHubHashes: source.announced === undefined ? [] : [hubHashOf(source.announced)],
    agentID: source.agentID,
    formerAgentIDs: source.formerAgentIDs ?? [],
    options: {
      evictionGraceMs: options.appliedmanifestworkEvictionGracePeriod,
      maxJsonRawLength: options.maxJsonRawLength,
      pollMs: options.statusSyncInterval,
      featureGates: options.featureGates,
    },
    clock,
    log: log.child({ cluster: source.clusterName }),
    metrics: kitMetrics('work'),
  });
  try {
    await agent.run(signal);
  } finally {
    await hub.close();
  }
}

/** The hub of a work agent that runs by itself: how to reach it, and where it is. */
export interface HubSource {
  readonly access: AccessSource;
  /** Connects with the access, which may change underneath. */
  connect(clusterName: string): Transport;
  /** The address by which the cluster joined. Default: that of the access. */
  serverOf?(access: ClusterAccess): string;
}

/**
 * Works for the hub that the access leads to. Should it lead to another one, the agent starts anew for that: what it applied for the
 * one before is taken over or, after a grace period, removed.
 */
async function followAccess(
  context: WorkProcess,
  { access, connect, serverOf = ({ server }) => server }: HubSource,
  source: Pick<WorkSource, 'clusterName' | 'agentID'>,
  spoke: KubeClient,
): Promise<void> {
  const { signal, log } = context;
  while (!signal.aborted) {
    const server = serverOf(await access.current());
    const anotherHub = new AbortController();
    const changes = access.changes.subscribe(() => {
      access.current().then(
        (next) => {
          if (serverOf(next) !== server) anotherHub.abort();
        },
        (error: unknown) => log.warn('cannot read where the hub is now', { error }),
      );
    });
    try {
      const until = AbortSignal.any([signal, anotherHub.signal]);
      const hub = { ...source, server, connect: () => ({ transport: connect(source.clusterName) }) };
      await runWork({ ...context, signal: until }, hub, spoke);
    } finally {
      changes.unsubscribe();
    }
  }
}

/** What a process of a work agent alone is given. */
export type WorkAgentProcess = Omit<WorkProcess, 'options'> & {
  readonly options: OptionValues<typeof workAgentFlags> & OptionValues<typeof kubeOptions>;
};

/** What flags do not say. */
export interface RunWorkAgentInput {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The cluster that this process runs on. */
  readonly spoke: KubeClient;
  /** Closed when the agent ends. Default: the API server that `--workload-source-config` names. */
  readonly hub?: HubSource;
}

/** Runs the work agent of a process by itself: the identity is what registration left in files. */
export async function runWorkAgent(
  context: WorkAgentProcess,
  { env, spoke: given, hub = apiServer(context, env) }: RunWorkAgentInput,
): Promise<void> {
  const { options, signal, clock, log } = context;
  await using cleanup = new AsyncDisposableStack();
  let spoke = given;
  if (options.spokeKubeconfig) {
    const spokeOptions = { ...options, kubeconfig: options.spokeKubeconfig };
    const hosted = connectKube(
      { ...context, options: spokeOptions },
      { name: 'spoke', env, fieldManager: FieldManager.WorkAgent },
    );
    cleanup.defer(() => hosted.close());
    spoke = hosted;
  }
  const { access } = hub;
  cleanup.defer(() => access.close());

  /** Registration is not always done at this point. */
  const persist = async <T>(what: string, attempt: () => Promise<T>): Promise<T | undefined> => {
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      try {
        return await attempt();
      } catch (error) {
        if (isFirst) log.info(`waiting for ${what}`, { error: KubeError.from(error) });
        await clock.sleep(waitMs, signal).catch(() => undefined);
      }
    }
    return undefined;
  };

  const clusterName =
    options.spokeClusterName ||
    options.clusterName ||
    (await persist('the name of the cluster', () => readName(join(options.hubKubeconfigDir, 'cluster-name'))));
  const ready = await persist('the configuration of the hub', () => access.current());
  if (!clusterName || !ready) return;
  await followAccess(context, hub, { clusterName, agentID: options.agentId }, spoke);
}

/** The API server of the hub, by a kubeconfig. */
function apiServer({ options, clock, log, kitMetrics }: WorkAgentProcess, env: RunWorkAgentInput['env']): HubSource {
  const access = kubeconfigAccess({ files: options.workloadSourceConfig, clock, env });
  const { hubKubeApiQps: qps, hubKubeApiBurst: burst } = options;
  const connect = () =>
    createTransport({
      access,
      clock,
      log: log.child({ client: 'hub' }),
      metrics: kitMetrics('hub'),
      env,
      userAgent: FieldManager.WorkAgent,
      ...(qps > 0 && { rateLimit: { qps, burst } }),
    });
  return { access, connect };
}

const waitMs = 1_000;

async function readName(file: string): Promise<string> {
  const name = (await readFile(file, 'utf8')).trim();
  if (name === '') throw new KubeError('Config', `${file} is empty`, { hint: 'Give --spoke-cluster-name.' });
  return name;
}
