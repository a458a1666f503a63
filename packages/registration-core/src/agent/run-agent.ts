import { stat } from 'node:fs/promises';
import { HealthCheckName, MountPath } from '@flotilla/api-types';
import { createTransport, defaultAccess, type KubeClient, KubeError, kubeconfigAccess } from '@flotilla/kube';
import { connectKube, type kubeOptions, type OptionValues, type ProcessContext } from '@flotilla/kube/process';
import type { Driver } from '../contract/index.ts';
import { type Agent, createAgent } from './agent.ts';
import { type agentFlags, bootstrapFiles, checkAddonAuth } from './flags.ts';
import { type JoinedWork, whileJoined } from './while-joined.ts';

/** What `main` is given by `runProcess`, as far as an agent needs it. The flags of drivers are among its options. */
export type AgentProcess = Pick<
  ProcessContext<Record<never, never>>,
  'signal' | 'clock' | 'log' | 'kitMetrics' | 'health'
> & {
  readonly options: OptionValues<typeof agentFlags> & OptionValues<typeof kubeOptions>;
};

/** What is not said by flags. */
export interface RunAgentInput {
  /** The cluster that this process runs on, where its secrets are. */
  readonly management: KubeClient;
  /** Of those secrets. */
  readonly namespace: string;
  /** The auth types to choose from; the first is the one that is used if none is named. */
  readonly drivers: readonly Driver[];
  /** `process.env`, for proxies and exec plugins. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userAgent: string;
  /** What else of this process works with the hub, from acceptance on: the work agent of a singleton. */
  readonly whileJoined?: JoinedWork;
}

/** Runs the registration agent of a process until its signal aborts. */
export async function runRegistrationAgent(context: AgentProcess, input: RunAgentInput): Promise<void> {
  const { options, signal, clock, log, kitMetrics, health } = context;
  const { management, namespace, env, userAgent } = input;
  checkAddonAuth(options.addonKubeclientRegistrationAuth);
  await using cleanup = new AsyncDisposableStack();
  const spokeOptions = { ...options, kubeconfig: options.spokeKubeconfig ?? options.kubeconfig };
  let spoke = management;
  if (options.spokeKubeconfig) {
    spoke = connectKube({ ...context, options: spokeOptions }, { name: 'spoke', env, fieldManager: userAgent });
    cleanup.defer(() => spoke.close());
  }
  const [preferred, ...others] = bootstrapFiles(options);
  const open = (files: string) => cleanup.adopt(kubeconfigAccess({ files, clock, env }), (access) => access.close());
  const directory = options.hubKubeconfigDir ?? (await defaultDirectory());
  const driver = chosenDriver(input.drivers, options.registrationAuth);
  const metrics = kitMetrics('hub');
  const agent = createAgent({
    management,
    spoke,
    driver: (driverContext) => driver.agent({ ...driverContext, options: { ...options } }),
    bootstrap: [open(preferred), ...others.map(open)],
    options: {
      clusterName: options.spokeClusterName || options.clusterName,
      agentName: options.agentId,
      namespace,
      hubKubeconfigSecret: options.hubKubeconfigSecret,
      ...(directory !== undefined && { hubKubeconfigDir: directory }),
      hubConnectionTimeoutSeconds: options.hubConnectionTimeoutSeconds,
      spokeExternalServerUrls: options.spokeExternalServerUrls,
      ...(options.spokeExternalServerUrls.length > 0 && { spokeCaBundle: await caOf(spokeOptions, context, env) }),
      clusterHealthCheckPeriodMs: options.clusterHealthcheckPeriod,
      maxCustomClusterClaims: options.maxCustomClusterClaims,
      reservedClusterClaimSuffixes: options.reservedClusterClaimSuffixes,
      clusterAnnotations: options.clusterAnnotations,
      featureGates: options.featureGates,
    },
    clock,
    log,
    connect: (access) => createTransport({ access, clock, log, metrics, env, userAgent }),
  });
  const unregister = health.register({
    name: HealthCheckName.HubKubeconfig,
    // The agent asks for new credentials by itself, so a restart would not help.
    kind: 'ready',
    check() {
      const verdict = agent.health();
      if (!verdict.usable) throw new KubeError('Unauthorized', `${verdict.reason}: ${verdict.message}`);
    },
  });
  cleanup.defer(unregister);
  await runBoth(agent, signal, input.whileJoined);
}

/** If either fails, the other ends too. */
async function runBoth(agent: Agent, signal: AbortSignal, work: JoinedWork | undefined): Promise<void> {
  if (!work) return agent.run(signal);
  const end = new AbortController();
  const both = AbortSignal.any([signal, end.signal]);
  const parts = [agent.run(both), whileJoined(agent, both, work)];
  try {
    await Promise.all(parts);
  } finally {
    end.abort();
    await Promise.allSettled(parts);
  }
}

/** OCM's deployments mount one there. Elsewhere, files that nobody asked for would only be one more place for a secret. */
const defaultDirectory = async (): Promise<string | undefined> => {
  const found = await stat(MountPath.HubKubeconfigDirectory).catch(() => undefined);
  return found?.isDirectory() ? MountPath.HubKubeconfigDirectory : undefined;
};

function chosenDriver(drivers: readonly Driver[], authType: string): Driver {
  const driver = authType === '' ? drivers[0] : drivers.find((known) => known.authType === authType);
  if (driver) return driver;
  throw new KubeError('Config', `--registration-auth=${authType} is not known`, {
    hint: `This agent knows ${drivers.map((known) => known.authType).join(', ')}.`,
  });
}

/** The CA by which others verify the API server of the managed cluster. */
async function caOf(
  { kubeconfig, context }: OptionValues<typeof kubeOptions>,
  { clock }: Pick<AgentProcess, 'clock'>,
  env: RunAgentInput['env'],
): Promise<string | undefined> {
  const access = defaultAccess({ clock, env, ...(kubeconfig && { kubeconfig }), ...(context && { context }) });
  try {
    return (await access.current()).ca;
  } finally {
    access.close();
  }
}
