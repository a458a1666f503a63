import { nodeHost, type ProcessHost, runCommand } from '@flotilla/process';
import type { OperatedDriver } from '../cluster-manager/index.ts';
import { runHubOperator } from './hub.ts';
import { runKlusterletOperator } from './klusterlet.ts';
import { runRemoval } from './remove.ts';

/** What a program is called, and which version it is. */
export interface OperatorProgram {
  readonly name: string;
  readonly version: string;
  /** The auth types by which clusters may register on a hub, with the rights that they need there. */
  readonly drivers: readonly OperatedDriver[];
}

/** Runs the program: the operator of hubs or of agents as its first argument, with the flags of OCM. */
export const runOperatorProgram = (program: OperatorProgram, host: ProcessHost = nodeHost()): Promise<void> =>
  runCommand(
    program.name,
    {
      hub: {
        description: 'Install and keep hubs, as ClusterManagers say.',
        run: (own: ProcessHost) => runHubOperator(own, program),
      },
      klusterlet: {
        description: 'Install and keep agents, as Klusterlets say.',
        run: (own: ProcessHost) => runKlusterletOperator(own, program),
      },
      remove: {
        description: 'Delete a ClusterManager or a Klusterlet, and wait until nothing of it is left.',
        run: (own: ProcessHost) => runRemoval(own, program),
      },
    },
    host,
  );
