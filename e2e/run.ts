// Runs the suites of a stage that this machine can run, and says at the end which it could not: node run.ts capabilities|rest|nightly [--all]
// With --all, a suite that was not run is a failure.
// A suite that fails is run once more, when the machine is idle: the report says whether it fails always or by chance. A suite that passes then is
// named and counted at the end, and is a bug to mend.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { EnvtestError } from '@flotilla/envtest';
import { failedFiles, secondTryLines, type TestReport, withRepeated } from '../tools/test-results/count-tests.ts';
import { prerequisites } from './prerequisites.ts';
import { type SuiteGroup, stageOf, suiteGroups } from './suites.ts';

const stage = stageOf(process.argv[2]);
const reports = join(import.meta.dirname, '.vitest');

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
for (const group of suiteGroups(stage)) {
  const error = await missing(group);
  if (error) notRun.set(group, error);
}
const projects = suiteGroups(stage)
  .filter((group) => !notRun.has(group))
  .map(({ name }) => `--project=${name}`);

interface SuiteRun {
  /** Undefined if vitest ended without one. */
  readonly report: TestReport | undefined;
  /** False also for errors outside of tests, which the report does not have. */
  readonly succeeded: boolean;
}

async function runSuites(reportFile: string, ...args: string[]): Promise<SuiteRun> {
  const file = join(reports, reportFile);
  rmSync(file, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const vitest = spawn('vitest', ['run', ...projects, ...reporters, ...args], {
    cwd: import.meta.dirname,
    env: { ...process.env, FLOTILLA_E2E_STAGE: stage },
    stdio: 'inherit',
  });
  const [code] = await once(vitest, 'exit');
  const report = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  return { report, succeeded: code === 0 && report?.testResults.length > 0 };
}

/** More than this many failed suites are not bad luck. */
const maxRepeated = 8;

mkdirSync(reports, { recursive: true });
const resultsFile = `${stage}.results.json`;
let { report, succeeded } = await runSuites(resultsFile);
const failed = report ? failedFiles(report).map((file) => relative(import.meta.dirname, file)) : [];
if (report && failed.length > 0 && failed.length <= maxRepeated) {
  console.log(`\nRunning once more, one at a time: ${failed.join(', ')}`);
  const again = await runSuites(`${stage}.repeated.json`, '--maxWorkers=1', ...failed);
  if (again.report) {
    report = withRepeated(report, again.report);
    writeFileSync(join(reports, resultsFile), JSON.stringify(report));
    const stillFailing = failedFiles(report).map((file) => relative(import.meta.dirname, file));
    succeeded = again.succeeded && stillFailing.length === 0;
    const passedThen = failed.filter((file) => !stillFailing.includes(file));
    writeFileSync(join(reports, `${stage}.second-tries.json`), JSON.stringify(passedThen));
    console.log(secondTryLines(passedThen).join('\n'));
  }
}

for (const [{ name }, { message, hint }] of notRun) {
  console.log(
    `\nNot run: the suites of the group ${name}, which CONTRIBUTING.md describes.\nWhy: ${message}\nHint: ${hint}`,
  );
}
if (stage === 'capabilities') {
  console.log(
    '\nNot run: suites on a real API server and beside OCM, Helm and AWS, the remaining suites, and the documentation site.',
  );
  console.log('To run them, with Go installed: .ci/run (see "What runs where" in CONTRIBUTING.md)');
}
const complete = notRun.size === 0 || !process.argv.includes('--all');
process.exitCode = succeeded && complete ? 0 : 1;
