// Infers the build of every package and app. One run of the compiler makes all packages (`tools:compile`): it shares what they import and
// remembers what it made, so that a target for each package would only cost time. What is left to each is to bundle its program, if it has one.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const afterCompile = [{ projects: ['tools'], target: 'compile' }];

const bundle = (entry) => ({
  command: `node ../../tools/bundle/bundle.ts ${entry}`,
  options: { cwd: '{projectRoot}' },
  dependsOn: afterCompile,
  cache: true,
  inputs: ['production', '^production', '{workspaceRoot}/tools/bundle/*', { externalDependencies: ['esbuild'] }],
});

function buildOf(directory) {
  const { bin = {} } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  // An app is a program and nothing to import; a package may have a program beside its modules.
  if (!existsSync(join(directory, 'tsconfig.lib.json')))
    return { ...bundle('src/main.ts'), outputs: ['{projectRoot}/dist'] };
  const hasProgram = Object.values(bin).some((path) => path.startsWith('./dist/bin/'));
  if (hasProgram) return { ...bundle('src/cli.ts'), outputs: ['{projectRoot}/dist/bin'] };
  return { executor: 'nx:noop', dependsOn: afterCompile };
}

export const name = 'flotilla/nx-build';

export const createNodesV2 = [
  '{packages,apps}/*/package.json',
  (files, _options, { workspaceRoot }) =>
    files.map((file) => [
      file,
      { projects: { [dirname(file)]: { targets: { build: buildOf(join(workspaceRoot, dirname(file))) } } } },
    ]),
];
