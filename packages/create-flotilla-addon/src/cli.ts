#!/usr/bin/env node
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { type CreatedProject, createProject } from './create-project.ts';
import { ProjectError } from './project-error.ts';

const usage = `Usage: npm create flotilla-addon <directory> [-- --from <tarballs>]

Makes a project for an add-on, named like its directory: an add-on that deploys an agent, a test of what it renders, and a test on
a hub and clusters that run in the process of the test.

With --from, its packages are copied from a directory that \`npm run pack:local\` of the repository made, and do not come from the npm
registry.

Example:
  $ npm create flotilla-addon my-addon
`;

/** What the user asks for, or why it cannot be understood. */
function parse(argv: readonly string[]): { help: boolean; path?: string; from?: string } | { mistake: string } {
  try {
    const options = { help: { type: 'boolean', short: 'h' }, from: { type: 'string' } } as const;
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
    const { help = false, from } = values;
    const [path] = positionals;
    if (!help && positionals.length !== 1) return { mistake: 'name one directory' };
    return { help, ...(path !== undefined && { path }), ...(from !== undefined && { from }) };
  } catch (error) {
    return { mistake: (error as Error).message };
  }
}

function fail(text: string): void {
  process.stderr.write(`Error: ${text}`);
  process.exitCode = 2;
}

const describe = ({ name, directory, files }: CreatedProject): string =>
  `Made the add-on ${name}: ${files.length} files in ${directory}\n\nNext:\n  cd ${relative(process.cwd(), directory) || '.'}\n  npm install\n  npm test\n`;

const asked = parse(process.argv.slice(2));
if ('mistake' in asked) fail(`${asked.mistake}\n\n${usage}`);
else if (asked.help || asked.path === undefined) process.stdout.write(usage);
else {
  try {
    process.stdout.write(describe(await createProject(asked.path, asked)));
  } catch (error) {
    if (!(error instanceof ProjectError)) throw error;
    fail(`${error.message}\n${error.hint}\n`);
  }
}
