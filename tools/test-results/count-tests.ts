/** The fields of vitest's JSON report that are counted. */
export interface TestReport {
  numPassedTests: number;
  numFailedTests: number;
  /** One for each file and project. */
  testResults: readonly TestFile[];
}

interface TestFile {
  name: string;
  status: string;
  assertionResults: readonly { status: string }[];
}

/** A report in which the files that a later run repeated have the results of that run. */
export function withRepeated(first: TestReport, repeated: TestReport): TestReport {
  const names = new Set(repeated.testResults.map(({ name }) => name));
  const testResults = [...first.testResults.filter(({ name }) => !names.has(name)), ...repeated.testResults];
  const count = (outcome: string) =>
    testResults.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => status === outcome).length;
  return { numPassedTests: count('passed'), numFailedTests: count('failed'), testResults };
}

/** The files of a report that did not pass. */
export const failedFiles = ({ testResults }: TestReport): string[] => [
  ...new Set(testResults.filter(hasFailed).map(({ name }) => name)),
];

/** The report calls a file passed whose process ended before its tests did. */
const hasFailed = ({ status, assertionResults }: TestFile): boolean =>
  status !== 'passed' || assertionResults.length === 0 || assertionResults.some((test) => test.status === 'pending');

/** How many tests of each outcome there are. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
}

/** What CI prints last: the suites that passed only when they were run again, which are bugs, and one line with all counts. */
export const summaryLines = ({ passed, failed }: TestCounts, secondTries: readonly string[]): string[] => [
  ...secondTryLines(secondTries),
  `${passed} passed, ${failed} failed, ${secondTries.length} ${secondTries.length === 1 ? 'suite' : 'suites'} at the second try`,
];

/** Names the suites that passed only when they were run again. */
export const secondTryLines = (secondTries: readonly string[]): string[] =>
  secondTries.map((file) => `Failed at first and passed when run again, alone: ${file}`);

/** Adds up several runs. A file that failed without a failed test, because it could not be loaded, counts as one. */
export function countTests(reports: readonly TestReport[]): TestCounts {
  const sum = (count: (report: TestReport) => number) => reports.reduce((total, report) => total + count(report), 0);
  return {
    passed: sum(({ numPassedTests }) => numPassedTests),
    failed: sum(({ numFailedTests, testResults }) => numFailedTests + testResults.filter(isBrokenFile).length),
  };
}

const isBrokenFile = (file: TestFile): boolean =>
  hasFailed(file) && !file.assertionResults.some((test) => test.status === 'failed');
