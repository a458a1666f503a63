import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The programs, and where the build puts them. */
const programs: Readonly<Record<string, string>> = {
  flotilla: 'apps/cli/dist/flotilla.js',
  'flotilla-hub': 'apps/hub/dist/flotilla-hub.js',
  'flotilla-agent': 'apps/agent/dist/flotilla-agent.js',
  'flotilla-singleton': 'apps/singleton/dist/flotilla-singleton.js',
  'flotilla-control-plane': 'packages/control-plane/dist/bin/cli.js',
};

/** Writes the page with the help of every command: what the programs themselves say, so that it is never out of date. */
export async function writeFlagsPage(root: string): Promise<void> {
  const sections = await Promise.all(
    Object.entries(programs).map(async ([name, path]) => [`## ${name}`, ...(await helpOf(join(root, path), name))]),
  );
  const intro =
    'What `--help` of each command prints. A flag is also an environment variable where its text names one, and a key of the file that `--config` names.';
  await writeFile(join(root, 'docs/reference/flags.md'), `${['# Flags', intro, ...sections.flat()].join('\n\n')}\n`);
}

/** The help of a command and of all its subcommands. */
async function helpOf(program: string, name: string, command: readonly string[] = []): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...command, '--help'], {
    env: { ...process.env, COLUMNS: '120', HOME: '~' },
  });
  const title = command.length === 0 ? [] : [`### ${[name, ...command].join(' ')}`];
  const below = await Promise.all(
    subcommandsOf(stdout).map((subcommand) => helpOf(program, name, [...command, subcommand])),
  );
  return [...title, `\`\`\`text\n${stdout.trim()}\n\`\`\``, ...below.flat()];
}

/** Subcommands are listed with two spaces before them; flags begin with a dash. */
export function subcommandsOf(help: string): string[] {
  const usage = /^Usage: .*(\[command\]|COMMAND)/m.test(help);
  if (!usage) return [];
  return [...help.matchAll(/^ {2}([a-z][a-z-]*)(?: .*)?$/gm)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'help');
}
