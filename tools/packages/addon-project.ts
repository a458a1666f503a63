import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './run.ts';

/** The packages that a project needs beside those of this repository. */
const tools = ['@types/node', 'typescript'];

/**
 * An author of an add-on: `create-flotilla-addon` makes a project from the packed packages, which compiles and whose tests pass: the
 * snapshot of what it renders, and a hub, clusters, agents and the add-on in one process. Its program shows its help.
 */
export async function addonProjectErrors(
  root: string,
  directory: string,
  packages: ReadonlySet<string>,
): Promise<string[]> {
  const label = 'add-on project';
  const program = join(directory, 'node_modules/create-flotilla-addon/dist/cli.js');
  const made = await run(process.execPath, [program, 'my-probe'], directory, `${label}: create`);
  if (made.length > 0) return made;
  const home = join(directory, 'my-probe');
  const { dependencies, devDependencies } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'));
  const unknown = Object.keys({ ...dependencies, ...devDependencies })
    .filter((name) => !packages.has(name) && !tools.includes(name))
    .map((name) => `${label}: it depends on ${name}, which is not published from here`);
  const results = [
    await run(join(root, 'node_modules/.bin/tsc'), ['-p', home, '--pretty', 'false'], home, `${label}: tsc`),
    await run(process.execPath, ['src/main.ts', '--help'], home, `${label}: --help`),
    await run(
      join(root, 'node_modules/.bin/tsc'),
      ['-p', 'tsconfig.build.json', '--pretty', 'false'],
      home,
      `${label}: build`,
    ),
    await run(process.execPath, ['dist/main.js', '--help'], home, `${label}: --help of what is built`),
    await run('npm', ['test'], home, `${label}: npm test`),
    // An occupied directory is refused, with the exit code of a usage error.
    await run(process.execPath, [program, 'my-probe'], directory, `${label}: create again`, 2),
  ];
  return [...unknown, ...results.flat()];
}
