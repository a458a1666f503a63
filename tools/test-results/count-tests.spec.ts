import { describe, expect, it } from 'vitest';
import { countTests, failedFiles, summaryLines, type TestReport, withRepeated } from './count-tests.ts';

const file = (status: string, ...tests: string[]) => named('one.spec.ts', status, ...tests);

const named = (name: string, status: string, ...tests: string[]) => ({
  name,
  status,
  assertionResults: tests.map((outcome) => ({ status: outcome })),
});

const report = (...testResults: TestReport['testResults']): TestReport => {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const count = (outcome: string) => tests.filter(({ status }) => status === outcome).length;
  return { numPassedTests: count('passed'), numFailedTests: count('failed'), testResults };
};

describe('countTests', () => {
  it('adds up runs', () => {
    const one = report(file('passed', 'passed', 'passed'), file('failed', 'passed', 'failed'));
    expect(countTests([one, one])).toEqual({ passed: 6, failed: 2 });
  });

  it('counts a file that could not be loaded as a failure', () => {
    expect(countTests([report(file('failed'), file('passed', 'passed'))])).toEqual({ passed: 1, failed: 1 });
  });

  it('counts a file whose tests passed but which failed after them', () => {
    expect(countTests([report(file('failed', 'passed'))])).toEqual({ passed: 1, failed: 1 });
  });

  it('has nothing to say of no runs', () => {
    expect(countTests([])).toEqual({ passed: 0, failed: 0 });
  });
});

describe('withRepeated', () => {
  const first = report(named('a', 'passed', 'passed'), named('b', 'failed', 'passed', 'failed'), named('c', 'failed'));

  it('names each file that did not pass once', () => {
    expect(failedFiles(first)).toEqual(['b', 'c']);
    expect(failedFiles(report(named('b', 'failed'), named('b', 'failed')))).toEqual(['b']);
  });

  it('counts a file as failed whose process ended before its tests did', () => {
    const cut = report(
      named('a', 'passed', 'passed', 'pending'),
      named('b', 'passed'),
      named('c', 'passed', 'skipped'),
    );
    expect(failedFiles(cut)).toEqual(['a', 'b']);
    expect(countTests([cut])).toEqual({ passed: 1, failed: 2 });
  });

  it('takes the results of the later run for the files that it repeated', () => {
    const second = report(named('b', 'passed', 'passed', 'passed'), named('c', 'failed', 'failed'));
    const whole = withRepeated(first, second);
    expect(countTests([whole])).toEqual({ passed: 3, failed: 1 });
    expect(failedFiles(whole)).toEqual(['c']);
  });
});

describe('summaryLines', () => {
  it('names and counts suites that passed at the second try only', () => {
    expect(summaryLines({ passed: 3, failed: 0 }, [])).toEqual(['3 passed, 0 failed, 0 suites at the second try']);
    expect(summaryLines({ passed: 3, failed: 0 }, ['work/join.kube.ts'])).toEqual([
      'Failed at first and passed when run again, alone: work/join.kube.ts',
      '3 passed, 0 failed, 1 suite at the second try',
    ]);
  });
});
