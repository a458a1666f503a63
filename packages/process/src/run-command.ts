import { exitCodes } from './exit-code.ts';
import { didYouMean } from './options/read-value.ts';
import { nodeHost, type ProcessHost } from './process-host.ts';

/** One command of a program with several. */
export interface Command {
  /** One line for --help. */
  description: string;
  /** `host.argv` is what comes after the name of the command. */
  run(host: ProcessHost): Promise<void>;
}

/** Runs the command that the first word names. Without one, or with one that does not exist, it lists them. */
export async function runCommand(
  program: string,
  commands: Readonly<Record<string, Command>>,
  host: ProcessHost = nodeHost(),
): Promise<void> {
  const [name = '', ...argv] = host.argv;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return command.run({ ...host, argv });
  const width = Math.max(...Object.keys(commands).map((known) => known.length));
  const lines = Object.entries(commands).map(
    ([known, { description }]) => `  ${known.padEnd(width)}  ${description}\n`,
  );
  const help = `Usage: ${program} COMMAND [OPTION]...\n\n${lines.join('')}\n${program} COMMAND --help shows its options.\n`;
  if (name === '--help' || name === '-h' || name === 'help') {
    host.print(help);
    return host.exit(exitCodes.ok);
  }
  const wrong = `${name} is not a command${didYouMean(name, Object.keys(commands))}`;
  host.printError(name === '' ? help : `Error: ${wrong}\n\n${help}`);
  host.exit(exitCodes.failed);
}
