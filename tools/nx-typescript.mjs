// Infers `build` and `typecheck` for every project that has a tsconfig.lib.json.
// Nx's own TypeScript plugin calls the compiler's JavaScript API, which TypeScript 7 no longer has (docs/adr/0001-workspace-tools.md).
import { dirname } from 'node:path';

const inputs = ['production', '^production', { externalDependencies: ['typescript'] }];

const targets = {
  build: {
    command: 'tsc -b tsconfig.lib.json',
    options: { cwd: '{projectRoot}' },
    dependsOn: ['^build'],
    cache: true,
    inputs,
    outputs: ['{projectRoot}/dist'],
  },
  typecheck: {
    command: 'tsc -b',
    options: { cwd: '{projectRoot}' },
    dependsOn: ['build', '^build'],
    cache: true,
    inputs: ['default', '^production', { externalDependencies: ['typescript'] }],
    outputs: ['{workspaceRoot}/node_modules/.cache/tsc/{projectName}'],
  },
};

/** @type {import('nx/src/project-graph/plugins').CreateNodesV2} */
export const createNodesV2 = [
  '*/**/tsconfig.lib.json',
  (files) => files.map((file) => [file, { projects: { [dirname(file)]: { targets } } }]),
];
export const name = 'flotilla/nx-typescript';
