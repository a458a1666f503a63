import { LeaderElectionComponent } from '@flotilla/api-types';
import { componentNamespace, connectKube, type ProcessHost, runElected, runProcess } from '@flotilla/kube/process';
import { runRegistrationAgent } from '@flotilla/registration-core/agent';
import type { Driver } from '@flotilla/registration-core/contract';
import manifest from '../package.json' with { type: 'json' };
import { registrationOptions } from './options.ts';

const userAgent = 'flotilla-agent';

/** Runs the registration agent while this replica leads. */
export const runRegistration = (host: ProcessHost, drivers: readonly Driver[]): Promise<void> =>
  runProcess({
    name: 'flotilla-agent registration',
    version: manifest.version,
    description: 'Joins this cluster to a hub: asks, gets an identity, heartbeats, reports, renews.',
    options: registrationOptions(drivers),
    host,
    async main(context) {
      const { env } = host;
      const namespace = await componentNamespace(context.options);
      const management = connectKube(context, { name: 'management', env, fieldManager: userAgent });
      const component = LeaderElectionComponent.RegistrationAgent;
      const run = (signal: AbortSignal) =>
        runRegistrationAgent({ ...context, signal }, { management, namespace, drivers, env, userAgent });
      try {
        await runElected(context, { client: management, component, namespace, run });
      } finally {
        await management.close();
      }
    },
  });
