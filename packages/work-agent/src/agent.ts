import { appliedManifestWorks, featureGateValues, type ManifestWork, manifestWorks } from '@flotilla/api-types';
import {
  type CachedResource,
  type Clock,
  type Controller,
  createInformers,
  type KubeClient,
  type Logger,
  realClock,
  runControllers,
  silentLogger,
} from '@flotilla/kube';
import { type KitMetrics, noMetrics } from '@flotilla/kube/metrics';
import { appliedWorkController } from './applied-work/applied-work.controller.ts';
import type { AgentIdentity } from './applied-work/applied-work.policy.ts';
import { withLabelOwners } from './applied-work/label-owners.ts';
import { createKinds } from './apply/kinds.ts';
import { Writers } from './conflicts/writers.ts';
import { createExecutor } from './executor/executor.ts';
import { executorKeyOf } from './executor/subject.ts';
import { createIgnoreFields } from './ignore-fields/ignore-fields.ts';
import { resolveOptions, type WorkAgentOptions } from './options.ts';
import { createWorkRules } from './rules.ts';
import { createFirstReads } from './watch/first-reads.ts';
import { createObjectTracker } from './watch/object-tracker.ts';
import { type WorkControllerOptions, workController } from './work/work.controller.ts';

/** What a work agent is made of. */
export interface WorkAgentInput {
  /** Where the works come from. */
  readonly hub: KubeClient;
  /** The works of the cluster in a cache that others share. Default: a watch of the agent's own. Stays open when the agent ends. */
  readonly works?: CachedResource<ManifestWork>;
  /** The managed cluster. Its writes should be made as field manager `work-agent`. */
  readonly spoke: KubeClient;
  /** Name of the cluster: the namespace of its works on the hub. */
  readonly clusterName: string;
  /** Of the address by which the cluster joined the hub, by `hubHashOf`; not of another address that is used meanwhile. */
  readonly hubHash: string;
  /** Hashes of other addresses of the same hub: what earlier agents recorded under them is taken over. */
  readonly formerHubHashes?: readonly string[];
  /** Identifies an agent among those of one cluster. Default, also if empty: the hash of the hub. */
  readonly agentID?: string;
  /** What this agent was called before: records under these names are adopted. */
  readonly formerAgentIDs?: readonly string[];
  readonly options?: WorkAgentOptions;
  readonly clock?: Clock;
  readonly log?: Logger;
  /** Of the caches and controllers. */
  readonly metrics?: KitMetrics;
  /** In [0, 1). */
  readonly random?: () => number;
  /** Given only by tests that inspect it. */
  readonly writers?: Writers;
}

/** A work agent. */
export interface WorkAgent {
  /** Runs until the signal aborts, then closes what it opened. */
  run(signal: AbortSignal): Promise<void>;
}

/** A cache that cannot be filled (not yet accepted, kind not installed) is waited for, and never a reason to end. */
const syncTimeoutMs = Number.POSITIVE_INFINITY;

/** An agent that applies the works of a cluster, keeps them applied and reports back. */
export function createWorkAgent(input: WorkAgentInput): WorkAgent {
  const { hubHash, clock = realClock, log = silentLogger, metrics = noMetrics, random = Math.random } = input;
  const settings: AgentSettings = {
    ...input,
    options: resolveOptions(input.options),
    identity: {
      hubHash,
      formerHubHashes: (input.formerHubHashes ?? []).filter((hash) => hash !== hubHash),
      agentID: input.agentID || hubHash,
      formerAgentIDs: input.formerAgentIDs ?? [],
    },
    environment: { clock, log, metrics, random },
  };
  return { run: (signal) => runAgent(settings, signal) };
}

/** The input with its defaults. */
interface AgentSettings extends Omit<WorkAgentInput, 'options'> {
  readonly options: ReturnType<typeof resolveOptions>;
  readonly identity: AgentIdentity;
  readonly environment: Required<Pick<WorkAgentInput, 'clock' | 'log' | 'metrics' | 'random'>>;
}

async function runAgent(settings: AgentSettings, signal: AbortSignal): Promise<void> {
  const { hub, spoke, clusterName, environment } = settings;
  const { clock, log, random } = environment;
  using hubInformers = createInformers({ client: hub, ...environment });
  using spokeInformers = createInformers({ client: spoke, ...environment });
  const works = settings.works ?? hubInformers.resource(manifestWorks, { namespace: clusterName });
  const appliedWorks = spokeInformers.resource(appliedManifestWorks, { transform: withLabelOwners });
  const tracker = createObjectTracker(spoke, { ...environment, accessChanged: spoke.transport.accessChanged });
  const kinds = createKinds({ client: spoke, informers: spokeInformers, clock, log, random });
  const executor = createExecutor({
    client: spoke,
    informers: spokeInformers,
    clock,
    inUse: () => works.list().map(({ spec }) => executorKeyOf(spec?.executor)),
  });
  try {
    const controllers = controllersOf(settings, { works, appliedWorks, tracker, kinds, executor });
    await runControllers(controllers, { signal, ...environment, syncTimeoutMs });
  } finally {
    executor.close();
    kinds.close();
    tracker.close();
  }
}

/** What both controllers work with. */
type Parts = Pick<WorkControllerOptions, 'works' | 'appliedWorks' | 'tracker' | 'kinds' | 'executor'>;

function controllersOf(settings: AgentSettings, parts: Parts): Controller[] {
  const { spoke, clusterName, identity, options, environment, writers = new Writers() } = settings;
  const { clock, log, random } = environment;
  const { works, appliedWorks, tracker } = parts;
  const gates = featureGateValues('spoke-work', options.featureGates);
  const rules = createWorkRules({
    rawJson: gates.RawFeedbackJsonString ?? false,
    maxJsonRawLength: options.maxJsonRawLength,
  });
  return [
    workController({
      spoke,
      ...parts,
      firstReads: createFirstReads({ tracker, clock, log }),
      rules,
      ignoreFields: createIgnoreFields(),
      writers,
      clusterName,
      identity,
      clock,
      log,
      pollMs: options.pollMs,
      random,
    }),
    appliedWorkController({
      spoke,
      works,
      appliedWorks,
      tracker,
      clusterName,
      identity,
      evictionGraceMs: options.evictionGraceMs,
      pollMs: options.pollMs,
      clock,
    }),
  ];
}
