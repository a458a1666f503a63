import { LeaderElectionComponent } from '@flotilla/api-types';
import { type ProcessHost, runProcess } from '@flotilla/kube/process';
import { registrationFlags, runElectedAgent } from '@flotilla/registration-core/agent';
import type { Driver } from '@flotilla/registration-core/contract';
import manifest from '../package.json' with { type: 'json' };

/** Runs the registration agent while this replica leads. */
export const runRegistration = (host: ProcessHost, drivers: readonly Driver[]): Promise<void> =>
  runProcess({
    name: 'flotilla-agent registration',
    version: manifest.version,
    description: 'Joins this cluster to a hub: asks, gets an identity, heartbeats, reports, renews.',
    options: registrationFlags(drivers),
    host,
    main: (context) =>
      runElectedAgent(context, {
        component: LeaderElectionComponent.RegistrationAgent,
        drivers,
        env: host.env,
        userAgent: 'flotilla-agent',
      }),
  });
