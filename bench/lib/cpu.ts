import { readFile } from 'node:fs/promises';

/** Linux counts in hundredths of a second, whatever its timer does. */
const ticksPerSecond = 100;

/** Processor time of a process and its threads so far, in seconds. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may have spaces; user and system time are the 12th and 13th fields after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
