import type { CliContext } from '../context.ts';
import { formatValue, isMachineFormat } from './format.ts';

/** Says what was taken away: each at once for people, all at the end for machines. */
export interface RemovalReport {
  removed(what: string): void;
  end(): void;
}

/** On standard output. */
export function startReport(
  { out }: Pick<CliContext, 'out'>,
  { dryRun, output }: { dryRun: boolean; output: string },
): RemovalReport {
  const removed: string[] = [];
  if (!isMachineFormat(output)) {
    return {
      removed: (what) => void out.write(`${dryRun ? 'Would remove' : 'Removed'} ${what}\n`),
      end() {},
    };
  }
  return {
    removed: (what) => void removed.push(what),
    end: () => void out.write(formatValue({ dryRun, removed }, output)),
  };
}
