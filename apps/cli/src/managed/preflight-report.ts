import { CliError } from '../errors/cli-error.ts';
import { explainError } from '../errors/explain-error.ts';
import type { Progress } from '../output/progress.ts';

/** Runs one check under its name: says that it passed, or throws an error that names it. One without a result may be skipped. */
export type Preflight = <T>(check: string, run: () => T | Promise<T>) => Promise<T>;

/** What a check came to. */
export interface CheckResult {
  readonly check: string;
  readonly status: 'passed' | 'skipped' | 'warning' | 'failed';
  readonly message?: string;
  readonly hint?: string;
}

/** Thrown by a check that cannot be made. What it was about shows itself later, or not at all. */
export class SkippedCheck extends Error {
  override readonly name = 'SkippedCheck';
  /** What the command goes on with. */
  readonly result: unknown;

  constructor(message: string, result?: unknown) {
    super(message);
    this.result = result;
  }
}

/** Why the identity of a cluster cannot be compared. */
export const noIdentity = 'this cluster has no Namespace kube-system';

/** All checks so far, for machines. */
export interface PreflightReport {
  readonly checks: CheckResult[];
}

/** Checks that are reported as they end, and recorded in `report`. */
export const startPreflight =
  (progress: Progress, { checks }: PreflightReport = { checks: [] }): Preflight =>
  async <T>(check: string, run: () => T | Promise<T>): Promise<T> => {
    progress.busy(`Preflight check: ${check}`);
    try {
      const result = await run();
      progress.done(`Preflight check: ${check} passed`);
      checks.push({ check, status: 'passed' });
      return result;
    } catch (error) {
      if (error instanceof SkippedCheck) {
        progress.done(`Preflight check: ${check} skipped: ${error.message}`);
        checks.push({ check, status: 'skipped', message: error.message });
        return error.result as T;
      }
      const { message, hint, exitCode } = explainError(error);
      checks.push({ check, status: 'failed', message, hint });
      throw new CliError(exitCode, `preflight check "${check}" failed: ${message}`, hint, error);
    }
  };

/** Runs a check whose failure is a warning. */
export async function warnOnly(
  progress: Progress,
  check: string,
  { checks }: PreflightReport,
  run: () => Promise<string | undefined>,
): Promise<void> {
  const warn = async () => {
    const message = await run();
    checks.push(message === undefined ? { check, status: 'passed' } : { check, status: 'warning', message });
    progress.done(`Preflight check: ${check} ${message === undefined ? 'passed' : `warns: ${message}`}`);
  };
  await warn().catch((error: unknown) => {
    if (!(error instanceof SkippedCheck)) throw error;
    checks.push({ check, status: 'skipped', message: error.message });
    progress.done(`Preflight check: ${check} skipped: ${error.message}`);
  });
}

/** What scripts read. */
export const reportValue = ({ checks }: PreflightReport) => ({
  passed: checks.every(({ status }) => status !== 'failed'),
  checks,
});
