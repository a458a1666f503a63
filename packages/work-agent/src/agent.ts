import { appliedManifestWorks, featureGateValues, manifestWorks } from '@flotilla/api-types';
import {
  type Clock,
  createInformers,
  type KubeClient,
  type Logger,
  realClock,
  runControllers,
  silentLogger,
} from '@flotilla/kube';
import { type KitMetrics, noMetrics } from '@flotilla/kube/metrics';
import { appliedWorkController } from './applied-work/applied-work.controller.ts';
import { createKinds } from './apply/kinds.ts';
import { createExecutor } from './executor/executor.ts';
import { executorKeyOf } from './executor/subject.ts';
import { createIgnoreFields } from './ignore-fields/ignore-fields.ts';
import { resolveOptions, type WorkAgentOptions } from './options.ts';
import { createWorkRules } from './rules.ts';
import { createObjectTracker } from './watch/object-tracker.ts';
import { createFirstReads } from './work/first-reads.ts';
import { workController } from './work/work.controller.ts';
import { Writers } from './work/writers.ts';

/** What a work agent is made of. */
export interface WorkAgentInput {
  /** Where the works come from. */
  readonly hub: KubeClient;
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
  const { hub, spoke, clusterName, hubHash, clock = realClock, log = silentLogger } = input;
  const { metrics = noMetrics, random = Math.random } = input;
  const options = resolveOptions(input.options);
  const gates = featureGateValues('spoke-work', options.featureGates);
  const identity = {
    hubHash,
    formerHubHashes: (input.formerHubHashes ?? []).filter((hash) => hash !== hubHash),
    agentID: input.agentID || hubHash,
    formerAgentIDs: input.formerAgentIDs ?? [],
  };

  return {
    async run(signal) {
      const environment = { clock, log, metrics, random };
      using hubInformers = createInformers({ client: hub, ...environment });
      using spokeInformers = createInformers({ client: spoke, ...environment });
      const works = hubInformers.resource(manifestWorks, { namespace: clusterName });
      const appliedWorks = spokeInformers.resource(appliedManifestWorks);
      const tracker = createObjectTracker(spoke, { ...environment, accessChanged: spoke.transport.accessChanged });
      const kinds = createKinds({ client: spoke, informers: spokeInformers, clock, log, random });
      const rules = createWorkRules({
        rawJson: gates.RawFeedbackJsonString ?? false,
        maxJsonRawLength: options.maxJsonRawLength,
      });
      const executor = createExecutor({
        client: spoke,
        informers: spokeInformers,
        clock,
        inUse: () => works.list().map(({ spec }) => executorKeyOf(spec?.executor)),
      });
      try {
        await runControllers(
          [
            workController({
              spoke,
              works,
              appliedWorks,
              tracker,
              firstReads: createFirstReads({ tracker, clock, log }),
              kinds,
              rules,
              executor,
              ignoreFields: createIgnoreFields(),
              writers: input.writers ?? new Writers(),
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
          ],
          { signal, clock, log, metrics, random, syncTimeoutMs },
        );
      } finally {
        executor.close();
        kinds.close();
        tracker.close();
      }
    },
  };
}
