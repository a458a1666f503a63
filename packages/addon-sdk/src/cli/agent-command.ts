import { type Command, defineOptions, runProcess } from '@flotilla/process';
import { type AgentRuntime, agentRuntime } from '../agent/agent-runtime.ts';
import type { AgentCheck } from '../agent/lease.ts';
import type { AddonDefinition } from '../definition/addon-definition.ts';

/** What runs on a managed cluster. */
export interface AgentProgram {
  /** Works until the signal aborts. */
  run(runtime: AgentRuntime, signal: AbortSignal): Promise<void>;
  /** The lease is renewed while these pass. */
  readonly checks?: (runtime: AgentRuntime) => readonly AgentCheck[];
}

const options = defineOptions({
  hubKubeconfig: {
    type: 'string',
    description:
      'Path of the kubeconfig of the hub, in the mounted Secret <addon>-hub-kubeconfig. Without it: no access to the hub.',
  },
  managedKubeconfig: {
    type: 'string',
    description: 'Path of a kubeconfig of the managed cluster. Without it: the cluster in which this process runs.',
  },
  clusterName: { type: 'string', required: true, description: 'Name of the managed cluster on the hub.' },
  addonNamespace: { type: 'string', required: true, description: 'Namespace of the agent, where its lease is.' },
  addonName: { type: 'string', description: 'Name of the add-on. Default: that of its definition.' },
});

/** Runs the agent of an add-on, and its lease. */
export const agentCommand = (
  program: string,
  version: string,
  addon: AddonDefinition,
  agent: AgentProgram,
): Command => ({
  description: 'Run the agent of the add-on on a managed cluster',
  run: (host) =>
    runProcess({
      ...{ name: `${program} agent`, prefix: program, version, options, host },
      description: 'Runs the agent of the add-on on a managed cluster.',
      async main({ options: given, signal, clock, log }) {
        const { hubKubeconfig, managedKubeconfig, clusterName, addonNamespace: namespace } = given;
        await using runtime = agentRuntime({
          ...{ addonName: given.addonName ?? addon.name, clusterName, namespace, clock, log },
          ...(hubKubeconfig && { hubKubeconfig }),
          ...(managedKubeconfig && { managedKubeconfig }),
        });
        const end = new AbortController();
        const lease = runtime.runLease(AbortSignal.any([signal, end.signal]), agent.checks?.(runtime));
        try {
          await agent.run(runtime, signal);
        } finally {
          // An agent that has ended is not available.
          end.abort();
          await lease;
        }
      },
    }),
});
