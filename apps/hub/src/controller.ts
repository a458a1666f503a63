import { LeaderElectionComponent } from '@flotilla/api-types';
import { componentNamespace, connectKube, type ProcessHost, runElected, runProcess } from '@flotilla/kube/process';
import type { Driver } from '@flotilla/registration-core/contract';
import manifest from '../package.json' with { type: 'json' };
import { controllerOptions } from './options.ts';
import { runHub } from './run-hub.ts';

/** Runs the controllers of registration and of works while this replica leads. */
export const runController = (host: ProcessHost, drivers: readonly Driver[]): Promise<void> =>
  runProcess({
    name: 'flotilla-hub controller',
    version: manifest.version,
    description:
      'Registers clusters: accepts them, approves their certificates, watches them and cleans up after them; collects completed works.',
    options: controllerOptions(drivers),
    host,
    async main(context) {
      const { options } = context;
      const namespace = options.disableLeaderElection ? '' : await componentNamespace(options);
      const client = connectKube(context, { name: 'hub', env: host.env, fieldManager: 'flotilla-hub' });
      const run = (signal: AbortSignal) => runHub({ ...context, signal, client, drivers });
      try {
        await runElected(context, {
          client,
          component: LeaderElectionComponent.RegistrationController,
          namespace,
          run,
        });
      } finally {
        await client.close();
      }
    },
  });
