import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FieldManager } from '@flotilla/api-types';
import { type AccessSource, createKubeClient, type KubeClient, KubeError, kubeconfigAccess } from '@flotilla/kube';
import { connectKube, type kubeOptions, type OptionValues, type ProcessContext } from '@flotilla/kube/process';
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
  /** Credentials may change underneath; it is the caller's to close. */
  readonly access: AccessSource;
  readonly clusterName: string;
  /** Empty: the hash of the hub's address. */
  readonly agentID: string;
  readonly rateLimit?: { readonly qps: number; readonly burst: number };
}

/** What is not said by flags. */
export interface RunWorkInput {
  /** The managed cluster, as field manager `work-agent`. */
  readonly spoke: KubeClient;
  /** `process.env`, for proxies and exec plugins. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Works for a hub until the signal aborts. Should the hub move to another address, the agent starts anew for it: what it applied
 * for the old address is taken over or, after a grace period, taken away.
 */
export async function runWork(context: WorkProcess, source: WorkSource, { spoke, env }: RunWorkInput): Promise<void> {
  const { options, signal, clock, log, kitMetrics } = context;
  const { access, rateLimit } = source;
  while (!signal.aborted) {
    const { server } = await access.current();
    const moved = new AbortController();
    const changes = access.changes.subscribe(() => {
      access.current().then(
        (next) => {
          if (next.server !== server) moved.abort();
        },
        (error: unknown) => log.warn('cannot read where the hub is now', { error }),
      );
    });
    const hub = createKubeClient({
      access,
      clock,
      log: log.child({ client: 'hub' }),
      metrics: kitMetrics('hub'),
      env,
      fieldManager: FieldManager.WorkAgent,
      userAgent: FieldManager.WorkAgent,
      ...(rateLimit && { rateLimit }),
    });
    const agent = createWorkAgent({
      hub,
      spoke,
      clusterName: source.clusterName,
      hubHash: hubHashOf(server),
      agentID: source.agentID,
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
      await agent.run(AbortSignal.any([signal, moved.signal]));
    } finally {
      changes.unsubscribe();
      await hub.close();
    }
  }
}

/** What a process of a work agent alone is given. */
export type WorkAgentProcess = Omit<WorkProcess, 'options'> & {
  readonly options: OptionValues<typeof workAgentFlags> & OptionValues<typeof kubeOptions>;
};

/** Runs the work agent of a process by itself: the identity is what registration left in files. */
export async function runWorkAgent(
  context: WorkAgentProcess,
  { env, spoke: given }: { readonly env: RunWorkInput['env']; readonly spoke: KubeClient },
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
  const access = kubeconfigAccess({ files: options.workloadSourceConfig, clock, env });
  cleanup.defer(() => access.close());

  /** Registration may not be done yet. */
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
  const ready = await persist('the kubeconfig of the hub', () => access.current());
  if (!clusterName || !ready) return;
  const { hubKubeApiQps: qps, hubKubeApiBurst: burst } = options;
  await runWork(
    context,
    { access, clusterName, agentID: options.agentId, ...(qps > 0 && { rateLimit: { qps, burst } }) },
    { spoke, env },
  );
}

const waitMs = 1_000;

async function readName(file: string): Promise<string> {
  const name = (await readFile(file, 'utf8')).trim();
  if (name === '') throw new KubeError('Config', `${file} is empty`, { hint: 'Give --spoke-cluster-name.' });
  return name;
}
