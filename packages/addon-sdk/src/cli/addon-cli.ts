import { nodeHost, type ProcessHost, runCommand } from '@flotilla/process';
import type { AddonDefinition } from '../definition/addon-definition.ts';
import { type AgentProgram, agentCommand } from './agent-command.ts';
import { controllerCommand } from './controller-command.ts';
import { printCommands } from './print-commands.ts';

/** The program of an add-on. */
export interface AddonProgram {
  readonly addon: AddonDefinition;
  readonly version: string;
  /** What runs on managed clusters, if it is this program. */
  readonly agent?: AgentProgram;
}

/**
 * The command line of an add-on: `controller` and `agent` run its two sides, `render` shows what a cluster gets, `rbac` and `install`
 * print what a hub needs. Call it as the whole of a program: `await createAddonCli({ addon, version })()`.
 */
export const createAddonCli =
  ({ addon, version, agent }: AddonProgram) =>
  (host: ProcessHost = nodeHost()): Promise<void> => {
    const program = addon.name;
    const commands = {
      controller: controllerCommand(program, version, addon),
      ...(agent && { agent: agentCommand(program, version, addon, agent) }),
      ...printCommands(program, addon),
    };
    return runCommand(program, commands, host);
  };
