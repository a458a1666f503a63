import type { CliContext } from '../context.ts';
import { formatValue, isMachineFormat } from './format.ts';

/** Says what was removed: each object at once as text, all at the end as JSON or YAML. */
export interface RemovalReport {
  removed(what: string): void;
  /** Of an object that stays although what it belonged to is removed. */
  left(what: string): void;
  end(): void;
}

/** On standard output. */
export function startReport(
  { out }: Pick<CliContext, 'out'>,
  { dryRun, output }: { dryRun: boolean; output: string },
): RemovalReport {
  const removed: string[] = [];
  const left: string[] = [];
  if (!isMachineFormat(output)) {
    return {
      removed: (what) => void out.write(`${dryRun ? 'Would remove' : 'Removed'} ${what}\n`),
      left: (what) => void out.write(`${dryRun ? 'Would leave' : 'Left'} ${what}\n`),
      end() {},
    };
  }
  return {
    removed: (what) => void removed.push(what),
    left: (what) => void left.push(what),
    end: () => void out.write(formatValue({ dryRun, removed, ...(left.length > 0 && { left }) }, output)),
  };
}
