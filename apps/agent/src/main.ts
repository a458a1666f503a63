import { csrDriver } from '@flotilla/driver-csr';
import { runCommand } from '@flotilla/kube/process';
import type { Driver } from '@flotilla/registration-core/contract';
import { runRegistration } from './registration.ts';
import { runWork } from './work.ts';

/** The auth types that this agent can use; the first is the default. Another one is another element. */
const drivers: readonly Driver[] = [csrDriver];

await runCommand('flotilla-agent', {
  registration: {
    description: 'Joins this cluster to a hub and keeps it joined.',
    run: (host) => runRegistration(host, drivers),
  },
  work: {
    description: 'Applies what the hub orders onto this cluster, and reports back.',
    run: runWork,
  },
});
