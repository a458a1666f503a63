import { explainError } from '../errors/explain-error.ts';

/** What a check came to. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly message: string;
  /** What to do about it. */
  readonly fix?: string;
}

type Outcome = Omit<Finding, 'check'>;

export const ok = (message: string): Outcome => ({ state: 'ok', message });
export const warning = (message: string, fix: string): Outcome => ({ state: 'warning', message, fix });
export const failed = (message: string, fix: string): Outcome => ({ state: 'failed', message, fix });

/** `1 is`, `all 3 are`. */
export const countOf = ({ length }: readonly unknown[]): string => (length === 1 ? '1 is' : `all ${length} are`);

/** A check by what it is about. One that throws has failed, with the reason and the hint of the error. */
export type Check = readonly [name: string, run: () => Promise<Outcome>];

/** Runs checks one after the other: a later one may only make sense after an earlier one. */
export async function runChecks(checks: readonly Check[], signal: AbortSignal): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [check, run] of checks) {
    signal.throwIfAborted();
    findings.push({ check, ...(await run().catch(explained)) });
  }
  return findings;
}

function explained(error: unknown): Outcome {
  const { message, hint } = explainError(error);
  return failed(message, hint);
}
