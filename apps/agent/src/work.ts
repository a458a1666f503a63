import { FieldManager, LeaderElectionComponent } from '@flotilla/api-types';
import { componentNamespace, connectKube, type ProcessHost, runElected, runProcess } from '@flotilla/kube/process';
import { runWorkAgent } from '@flotilla/work-agent';
import manifest from '../package.json' with { type: 'json' };
import { workOptions } from './options.ts';

/** Runs the work agent while this replica leads. */
export const runWork = (host: ProcessHost): Promise<void> =>
  runProcess({
    name: 'flotilla-agent work',
    version: manifest.version,
    description: 'Applies what the hub orders onto this cluster, keeps it so, and reports back.',
    options: workOptions,
    host,
    async main(context) {
      const { env } = host;
      // Without an election nothing is kept in a namespace.
      const namespace = context.options.disableLeaderElection ? '' : await componentNamespace(context.options);
      const spoke = connectKube(context, { name: 'spoke', env, fieldManager: FieldManager.WorkAgent });
      const component = LeaderElectionComponent.WorkAgent;
      const run = (signal: AbortSignal) => runWorkAgent({ ...context, signal }, { spoke, env });
      try {
        await runElected(context, { client: spoke, component, namespace, run });
      } finally {
        await spoke.close();
      }
    },
  });
