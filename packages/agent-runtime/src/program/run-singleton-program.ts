import { FieldManager, LeaderElectionComponent } from '@flotilla/api-types';
import { connectKube, nodeHost, type ProcessHost, runProcess } from '@flotilla/process';
import { runElectedAgent } from '@flotilla/registration-core/agent';
import { together } from '../joined-proxy.ts';
import { joinedWork } from '../joined-work.ts';
import type { AgentProgram } from './agent-program.ts';
import { singletonOptions } from './options.ts';
import { withProxy } from './with-proxy.ts';

/** Runs all parts of an agent in one process, with the flags of OCM and those of the drivers. */
export const runSingletonProgram = (
  { name, version, drivers }: AgentProgram,
  host: ProcessHost = nodeHost(),
): Promise<void> =>
  runProcess({
    name,
    prefix: 'flotilla',
    version,
    description: 'Run the whole agent of a managed cluster in one process.',
    options: singletonOptions(drivers),
    host,
    async main(context) {
      const { env } = host;
      const { options, clock, log, kitMetrics } = context;
      const { kubeconfig, spokeKubeconfig = kubeconfig } = options;
      const spokeContext = { ...context, options: { ...options, kubeconfig: spokeKubeconfig } };
      const spoke = connectKube(spokeContext, { name: 'spoke', env, fieldManager: FieldManager.WorkAgent });
      const works = joinedWork({
        spoke,
        agentID: options.agentId,
        options: {
          evictionGraceMs: options.appliedmanifestworkEvictionGracePeriod,
          maxJsonRawLength: options.maxJsonRawLength,
          pollMs: options.statusSyncInterval,
          featureGates: options.featureGates,
        },
        clock,
        log,
        metrics: kitMetrics('work'),
      });
      const component = LeaderElectionComponent.KlusterletAgent;
      // OCM's operator gives the ID of the work agent. The cluster is registered under the name that it has, also if that came from two
      // agents: under another one it would have to be accepted anew.
      const registration = { ...context, options: { ...options, agentId: '' } };
      try {
        await withProxy(context, env, (proxy) => {
          const whileJoined = proxy ? together(works, proxy) : works;
          return runElectedAgent(registration, { component, drivers, env, userAgent: name, whileJoined });
        });
      } finally {
        await spoke.close();
      }
    },
  });
