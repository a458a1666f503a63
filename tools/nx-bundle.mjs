// Infers the build of apps that are a program and nothing to import: one file, made of src/main.ts by tools/bundle.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const build = {
  command: 'node ../../tools/bundle/bundle.ts',
  options: { cwd: '{projectRoot}' },
  dependsOn: ['^build'],
  cache: true,
  inputs: ['production', '^production', '{workspaceRoot}/tools/bundle/*', { externalDependencies: ['esbuild'] }],
  outputs: ['{projectRoot}/dist'],
};

export const name = 'flotilla/nx-bundle';

/** One with a tsconfig.lib.json is built as packages are. */
export const createNodesV2 = [
  'apps/*/package.json',
  (files, _options, { workspaceRoot }) =>
    files
      .map(dirname)
      .filter((directory) => !existsSync(join(workspaceRoot, directory, 'tsconfig.lib.json')))
      .map((directory) => [`${directory}/package.json`, { projects: { [directory]: { targets: { build } } } }]),
];
