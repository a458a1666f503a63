import { stat } from 'node:fs/promises';
import { HealthCheckName, MountPath, NamespaceName } from '@flotilla/api-types';
import { defaultAccess, type KubeClient, KubeError } from '@flotilla/kube';
import { createTransport } from '@flotilla/kube/transport';
import {
  componentNamespace,
  connectKube,
  type ElectedProcess,
  type kubeOptions,
  type OptionDefinitions,
  type OptionValues,
  type ProcessContext,
  runElected,
} from '@flotilla/process';
import { type Driver, requireFlags } from '../../contract/index.ts';
import { missingFlag } from '../../contract/required-flags.ts';
import { createAgent } from '../lifecycle/agent.ts';
import type { AgentInput } from '../lifecycle/agent-input.ts';
import { type JoinedWork, runWithWork } from '../lifecycle/while-joined.ts';
import { type BoundDriver, bindDriver } from '../options/bound-driver.ts';
import { agentOptionsOf } from './agent-options.ts';
import { diskFiles } from './bootstrap-files.ts';
import { type agentFlags, clusterAuthTypes } from './flags.ts';

/** What `main` is given by `runProcess`, as far as an agent needs it. The flags of drivers are among its options. */
export type AgentProcess = Pick<
  ProcessContext<Record<never, never>>,
  'signal' | 'clock' | 'log' | 'kitMetrics' | 'health'
> & {
  readonly options: OptionValues<typeof agentFlags> & OptionValues<typeof kubeOptions>;
};

/** What flags do not say. */
export interface ElectedAgentInput {
  /** Whose Lease, `<component>-lock`, decides which replica runs: `LeaderElectionComponent`. */
  readonly component: string;
  /** The auth types to choose from; the first is the one that is used if none is named. */
  readonly drivers: readonly Driver[];
  /** `process.env`, for proxies and exec plugins. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userAgent: string;
  /** What else of this process works with the hub: the work agent of a singleton. */
  readonly whileJoined?: JoinedWork;
}

interface RunAgentInput extends Omit<ElectedAgentInput, 'component'> {
  /** The cluster that this process runs on, where its secrets are. */
  readonly management: KubeClient;
  /** Of those secrets. */
  readonly namespace: string;
}

/** Runs the registration agent of a process while this replica leads, until the signal aborts. */
export async function runElectedAgent(
  context: AgentProcess & ElectedProcess & Pick<ProcessContext<OptionDefinitions>, 'authorizeMetricsWith'>,
  { component, ...input }: ElectedAgentInput,
): Promise<void> {
  const namespace = await componentNamespace(context.options, { outsidePod: NamespaceName.Agent });
  const management = connectKube(context, { name: 'management', env: input.env, fieldManager: input.userAgent });
  context.authorizeMetricsWith(management);
  const run = (signal: AbortSignal) => runAgent({ ...context, signal }, { ...input, management, namespace });
  try {
    await runElected(context, { client: management, lease: `${namespace}/${component}-lock`, run });
  } finally {
    await management.close();
  }
}

async function runAgent(context: AgentProcess, input: RunAgentInput): Promise<void> {
  const { signal, health } = context;
  const { management, env, userAgent } = input;
  const spokeOptions = {
    ...context.options,
    kubeconfig: context.options.spokeKubeconfig ?? context.options.kubeconfig,
  };
  await using cleanup = new AsyncDisposableStack();
  let spoke = management;
  if (context.options.spokeKubeconfig) {
    spoke = connectKube({ ...context, options: spokeOptions }, { name: 'spoke', env, fieldManager: userAgent });
    cleanup.defer(() => spoke.close());
  }
  const agent = createAgent(await agentInput({ ...context, options: spokeOptions }, input, spoke));
  cleanup.defer(
    health.register({
      name: HealthCheckName.HubKubeconfig,
      // The agent asks for new credentials by itself, so a restart would not help.
      kind: 'ready',
      check() {
        const state = agent.health();
        if (!state.ready) throw new KubeError('Unauthorized', `${state.reason}: ${state.message}`);
      },
    }),
  );
  await (input.whileJoined ? runWithWork(agent, signal, input.whileJoined) : agent.run(signal));
}

/** What an agent is made of, from the flags of a process. */
export async function agentInput(
  context: Pick<AgentProcess, 'options' | 'clock' | 'log' | 'kitMetrics'>,
  input: RunAgentInput,
  spoke: KubeClient,
): Promise<AgentInput> {
  const { options, clock, log, kitMetrics } = context;
  const { management, namespace, env, userAgent, drivers } = input;
  const metrics = kitMetrics('hub');
  const directory = options.hubKubeconfigDir ?? (await defaultDirectory());
  const flags: OptionValues<OptionDefinitions> = { ...options };
  const chosen = chosenDriver(drivers, options.registrationAuth);
  requireFlags(chosen, 'agent', flags);
  return {
    management,
    spoke,
    driver: bindDriver(chosen, flags),
    addonDrivers: addonDriversOf(drivers, options.addonKubeclientRegistrationAuth, flags),
    bootstrapFiles: diskFiles(clock, env),
    options: {
      ...agentOptionsOf(options),
      namespace,
      ...(directory !== undefined && { hubKubeconfigDir: directory }),
      ...(options.spokeExternalServerUrls.length > 0 && { spokeCaBundle: await caOf(context, env) }),
    },
    clock,
    log,
    connect: (access) => createTransport({ access, clock, log, metrics, env, userAgent }),
  };
}

/** The drivers that can serve add-ons: all that have the flags which they require, and the one that is chosen for their kubeClients. */
function addonDriversOf(
  drivers: readonly Driver[],
  wanted: string,
  flags: OptionValues<OptionDefinitions>,
): BoundDriver[] {
  const chosen = drivers.find(({ addon }) => wanted !== '' && addon?.authType === wanted);
  if (chosen) requireFlags(chosen, 'agent', flags, 'addon-kubeclient-registration-auth');
  return drivers.filter((driver) => !missingFlag(driver, 'agent', flags)).map((driver) => bindDriver(driver, flags));
}

/** OCM's deployments mount one there. Elsewhere, files that were not asked for would only be one more place for a secret. */
const defaultDirectory = async (): Promise<string | undefined> => {
  const found = await stat(MountPath.HubKubeconfigDirectory).catch(() => undefined);
  return found?.isDirectory() ? MountPath.HubKubeconfigDirectory : undefined;
};

function chosenDriver(drivers: readonly Driver[], authType: string): Driver {
  const clusterDrivers = drivers.filter(({ agent }) => agent !== undefined);
  const driver = authType === '' ? clusterDrivers[0] : clusterDrivers.find((known) => known.authType === authType);
  if (driver) return driver;
  throw new KubeError('Config', `--registration-auth=${authType} is not known`, {
    hint: `This agent knows ${clusterAuthTypes(drivers).join(', ')}.`,
  });
}

/** The CA by which others verify the API server of the managed cluster. */
async function caOf(
  { clock, options: { kubeconfig, context } }: Pick<AgentProcess, 'clock' | 'options'>,
  env: RunAgentInput['env'],
): Promise<string | undefined> {
  const access = defaultAccess({ clock, env, ...(kubeconfig && { kubeconfig }), ...(context && { context }) });
  try {
    return (await access.current()).ca;
  } finally {
    access.close();
  }
}
