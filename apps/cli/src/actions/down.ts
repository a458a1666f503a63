import type { CliContext } from '../context.ts';
import { formatValue, isMachineFormat } from '../output/format.ts';
import { stopDirectory } from '../up/control-socket.ts';
import { fleetDirectory } from '../up/detach.ts';

/** Ends the fleet of a directory. */
export async function down(context: CliContext, options: { dataDir?: string; output: string }): Promise<void> {
  const directory = fleetDirectory(context.env, options.dataDir);
  const stopped = await stopDirectory(directory);
  const text = stopped ? `The fleet of ${directory} has ended.\n` : `No fleet of ${directory} is running.\n`;
  context.out.write(isMachineFormat(options.output) ? formatValue({ directory, stopped }, options.output) : text);
}
