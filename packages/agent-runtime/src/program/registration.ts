import { LeaderElectionComponent } from '@flotilla/api-types';
import { type ProcessHost, runProcess } from '@flotilla/process';
import { registrationFlags, runElectedAgent } from '@flotilla/registration-core/agent';
import type { AgentProgram } from './agent-program.ts';
import { withProxy } from './with-proxy.ts';

/** Runs the registration agent while this replica leads. */
export const runRegistration = (host: ProcessHost, { name, version, drivers }: AgentProgram): Promise<void> =>
  runProcess({
    name: `${name} registration`,
    prefix: 'flotilla',
    version,
    description: 'Join this cluster to a hub: request to join, get an identity, send heartbeats, report, renew.',
    options: registrationFlags(drivers),
    host,
    main: (context) =>
      withProxy(context, host.env, (whileJoined) =>
        runElectedAgent(context, {
          component: LeaderElectionComponent.RegistrationAgent,
          drivers,
          env: host.env,
          userAgent: name,
          ...(whileJoined && { whileJoined }),
        }),
      ),
  });
