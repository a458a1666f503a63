// Compiles Helm ahead of the suites: node charts/build.ts
import { helmProgram, helmVersions } from './helm.ts';

for (const version of helmVersions) console.log(`Helm ${version} is ${await helmProgram(version)}`);
