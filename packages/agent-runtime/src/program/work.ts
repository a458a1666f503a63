import { FieldManager, LeaderElectionComponent, NamespaceName } from '@flotilla/api-types';
import { componentNamespace, connectKube, type ProcessHost, runElected, runProcess } from '@flotilla/process';
import { runWorkAgent } from '@flotilla/work-agent';
import type { AgentProgram } from './agent-program.ts';
import { workOptions } from './options.ts';

/** Runs the work agent while this replica leads. */
export const runWork = (host: ProcessHost, { name, version }: Omit<AgentProgram, 'drivers'>): Promise<void> =>
  runProcess({
    name: `${name} work`,
    prefix: 'flotilla',
    version,
    description: 'Apply the works of the hub to this cluster, keep the objects as they are there, and report back.',
    options: workOptions,
    host,
    async main(context) {
      const { env } = host;
      // Without an election nothing is kept in a namespace.
      const { disableLeaderElection } = context.options;
      const outsidePod = NamespaceName.Agent;
      const namespace = disableLeaderElection ? '' : await componentNamespace(context.options, { outsidePod });
      const spoke = connectKube(context, { name: 'spoke', env, fieldManager: FieldManager.WorkAgent });
      context.authorizeMetricsWith(spoke);
      const lease = `${namespace}/${LeaderElectionComponent.WorkAgent}-lock`;
      const run = async (signal: AbortSignal) => {
        const input = { spoke, env };
        if (context.options.workloadSourceDriver === 'kube') return runWorkAgent({ ...context, signal }, input);
        // Loads gRPC only where works come that way.
        const { grpcSource } = await import('./grpc-source.ts');
        return runWorkAgent({ ...context, signal }, { ...input, hub: grpcSource(context) });
      };
      try {
        await runElected(context, { client: spoke, lease, run });
      } finally {
        await spoke.close();
      }
    },
  });
