// Compiles Open Cluster Management ahead of the suites, where the time it takes is expected and its progress is seen.
import { dirname } from 'node:path';
import { ocmPrograms, pinnedVersion } from './programs.ts';

const { registration } = await ocmPrograms();
console.log(`Open Cluster Management ${await pinnedVersion()} is in ${dirname(registration)}`);
