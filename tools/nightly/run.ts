// What a change has no time for: node tools/nightly/run.ts, with everything built
// All of it runs, also when a part of it fails: a property that fails must not hide for a night that a suite does.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { chooseNightSeed, variable } from '../properties/seed.ts';
import { runAll } from './run-all.ts';

const root = join(import.meta.dirname, '../..');
for (const results of ['.vitest', 'e2e/.vitest']) rmSync(join(root, results), { recursive: true, force: true });

const seed = chooseNightSeed();
console.log(
  `The properties of this night have the seed ${seed}. To repeat them: ${variable}=${seed} npm run test:nightly`,
);

const failed = runAll(
  [
    { command: 'nx run tools:specs --skip-nx-cache', env: { FLOTILLA_PROPERTY_RUNS: '10' } },
    { command: 'npm run -s -w e2e suites -- nightly --all', env: { FLOTILLA_PROPERTY_RUNS: '1' } },
    { command: 'node tools/test-results/summary.ts', env: {} },
  ],
  ({ command, env }) =>
    spawnSync(command, { shell: true, cwd: root, env: { ...process.env, ...env }, stdio: 'inherit' }).status === 0,
);
for (const { command } of failed) console.log(`Failed with ${variable}=${seed}: ${command}`);
process.exitCode = failed.length === 0 ? 0 : 1;
