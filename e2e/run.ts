// Runs every suite that this machine can run, and says at the end which it could not: node run.ts [--all]
// With --all, a suite that was not run is a failure.
// A suite that fails is run once more, when the machine is idle: whole systems with real deadlines share two cores here. Suites that needed it are named.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { EnvtestError, ensureBinaries } from '@flotilla/envtest';
import { failedFiles, type TestReport, withRepeated } from '../tools/test-results/count-tests.ts';
import { authenticatorProgram } from './aws/authenticator/program.ts';
import { ensureAwsCli } from './aws/aws-cli.ts';
import { ensureMoto } from './aws/moto.ts';
import { helmProgram } from './charts/helm.ts';
import { buildChecks } from './control-plane/client-go/program.ts';
import { ocmPrograms } from './ocm/programs.ts';
import { ensureTinyproxy } from './operator/tinyproxy.ts';
import { type SuiteGroup, suiteGroups } from './suites.ts';

/** Makes what the suites of a group need, ahead of them, where the time that it takes is expected and its progress is seen. */
const prerequisites: Readonly<Record<SuiteGroup['name'], () => Promise<unknown>>> = {
  embedded: async () => {},
  kubernetes: () => ensureBinaries(),
  'go-programs': async () => [
    await ensureBinaries(),
    await buildChecks(),
    await ocmPrograms(),
    await authenticatorProgram(),
    await helmProgram('v3'),
    await helmProgram('v4'),
    await ensureMoto(),
    await ensureAwsCli(),
    await ensureTinyproxy(),
  ],
};

/** Why the suites of a group cannot run on this machine. */
async function missing({ name }: SuiteGroup): Promise<EnvtestError | undefined> {
  try {
    await prerequisites[name]();
    return undefined;
  } catch (error) {
    if (error instanceof EnvtestError) return error;
    throw error;
  }
}

const notRun = new Map<SuiteGroup, EnvtestError>();
for (const group of suiteGroups) {
  const error = await missing(group);
  if (error) notRun.set(group, error);
}
const projects = suiteGroups.filter((group) => !notRun.has(group)).map(({ name }) => `--project=${name}`);

/** Runs vitest and gives its report; undefined if it ended without one. */
async function runSuites(reportFile: string, ...args: string[]): Promise<TestReport | undefined> {
  const file = join(import.meta.dirname, '.vitest', reportFile);
  rmSync(file, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const vitest = spawn('vitest', ['run', ...projects, ...reporters, ...args], {
    cwd: import.meta.dirname,
    stdio: 'inherit',
  });
  await once(vitest, 'exit');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** More than this many failed suites are not bad luck. */
const mostRepeated = 8;

let report = await runSuites('results.json');
const failed = report ? failedFiles(report).map((file) => relative(import.meta.dirname, file)) : [];
if (report && failed.length > 0 && failed.length <= mostRepeated) {
  console.log(`\nRunning once more, one at a time: ${failed.join(', ')}`);
  const repeated = await runSuites('repeated.json', '--maxWorkers=1', ...failed);
  if (repeated) {
    report = withRepeated(report, repeated);
    writeFileSync(join(import.meta.dirname, '.vitest', 'results.json'), JSON.stringify(report));
    const healed = failed.filter((file) => !failedFiles(repeated).some((name) => name.endsWith(file)));
    if (healed.length > 0) console.log(`\nFailed at first and passed when run alone: ${healed.join(', ')}`);
  }
}
const passed = report !== undefined && failedFiles(report).length === 0;

for (const [{ name }, { message, hint }] of notRun) {
  console.log(
    `\nNot run: the suites of the group ${name}, which CONTRIBUTING.md describes.\nWhy: ${message}\nHint: ${hint}`,
  );
}
if (notRun.size > 0) console.log('\nTo run all suites afterwards: npm run test:e2e');
const complete = notRun.size === 0 || !process.argv.includes('--all');
process.exitCode = passed && complete ? 0 : 1;
