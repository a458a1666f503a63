import { nodeHost, type ProcessHost, runCommand } from '@flotilla/process';
import type { AgentProgram } from './agent-program.ts';
import { runRegistration } from './registration.ts';
import { runWork } from './work.ts';

/** Runs the program: `NAME registration` or `NAME work`, with the flags of OCM and those of the drivers. */
export const runAgentProgram = (program: AgentProgram, host: ProcessHost = nodeHost()): Promise<void> => {
  const commands = {
    registration: {
      description: 'Join this cluster to a hub and keep it joined.',
      run: (own: ProcessHost) => runRegistration(own, program),
    },
    work: {
      description: 'Apply the works of the hub to this cluster, and report back.',
      run: (own: ProcessHost) => runWork(own, program),
    },
    ...program.commands,
  };
  return runCommand(program.name, commands, host);
};
