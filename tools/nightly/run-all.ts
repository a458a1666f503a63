/** A command of the nightly run. */
export interface NightlyCommand {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs all commands, also after one that failed, and gives those that did. */
export const runAll = (
  commands: readonly NightlyCommand[],
  run: (command: NightlyCommand) => boolean,
): readonly NightlyCommand[] => commands.filter((command) => !run(command));
