/** The fields of vitest's JSON report that are counted. */
export interface TestReport {
  numPassedTests: number;
  numFailedTests: number;
  /** One for each file. */
  testResults: readonly { status: string; assertionResults: readonly { status: string }[] }[];
}

/** Adds up several runs. A file that failed without a failed test, because it could not be loaded, counts as one. */
export function countTests(reports: readonly TestReport[]): { passed: number; failed: number } {
  const sum = (count: (report: TestReport) => number) => reports.reduce((total, report) => total + count(report), 0);
  return {
    passed: sum(({ numPassedTests }) => numPassedTests),
    failed: sum(({ numFailedTests, testResults }) => numFailedTests + testResults.filter(isBrokenFile).length),
  };
}

const isBrokenFile = ({ status, assertionResults }: TestReport['testResults'][number]): boolean =>
  status === 'failed' && !assertionResults.some((test) => test.status === 'failed');
