import type { ChangeOptions, CliContext, WaitOptions } from '../context.ts';
import { formatValue, isMachineFormat } from '../output/format.ts';
import { isInUse, stopDirectory } from '../up/control-socket.ts';
import { fleetDirectory } from '../up/detach.ts';

/** The flags of `down`. */
export interface DownOptions extends ChangeOptions, WaitOptions {
  readonly dataDir?: string;
  readonly output: string;
}

/** Stops the fleet of a directory. */
export async function down(context: CliContext, options: DownOptions): Promise<void> {
  const { dryRun = false, output, timeout } = options;
  const directory = fleetDirectory(context.env, options.dataDir);
  const found = dryRun
    ? await isInUse(directory)
    : await stopDirectory(directory, { ...context, timeoutMs: timeout * 1000 });
  const text = dryRun ? `Would stop the fleet of ${directory}.\n` : `The fleet of ${directory} has ended.\n`;
  context.out.write(
    isMachineFormat(output)
      ? formatValue({ directory, stopped: found && !dryRun, ...(dryRun && { dryRun, running: found }) }, output)
      : found
        ? text
        : `No fleet of ${directory} is running.\n`,
  );
}
