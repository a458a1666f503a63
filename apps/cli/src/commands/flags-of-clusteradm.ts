import { type Command, Option } from 'commander';
import { CliError } from '../errors/cli-error.ts';

/** Why a flag is refused, and what to do instead. */
export type Refusal = readonly [why: string, instead: string];

/** Refuses flags of clusteradm or karmadactl that cannot be honoured, instead of ignoring them. */
export function refuseFlags(command: Command, flags: Readonly<Record<string, Refusal>>): void {
  for (const [flag, [why, instead]] of Object.entries(flags)) {
    const option = new Option(`${flag} [value]`).hideHelp();
    command.addOption(option).on(`option:${option.name()}`, () => {
      throw new CliError('usage', `${option.long} is not supported: ${why}`, instead);
    });
  }
}

/** Takes flags of clusteradm that have nothing to do here, so that its scripts go on. */
export function takeIdleFlags(command: Command, ...flags: readonly string[]): void {
  for (const flag of flags) command.addOption(new Option(flag).hideHelp());
}
