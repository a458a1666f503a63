import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

/** The variable by which the processes of a container are found, whatever group or session they made for themselves. */
export const markVariable = 'PROCESS_NODE_CONTAINER';

/** A mark of a container that no other container has; it begins with that of its node. */
export const newMark = (node: string): string => `${node}.${randomUUID()}`;

/** A process may start others while it is looked for. */
const maxRounds = 20;

/** Kills the processes that have the mark in the variables that they were started with. Nothing where there is no /proc. */
export async function killMarked(mark: string): Promise<void> {
  const wanted = `${markVariable}=${mark}\0`;
  for (let round = 0; round < maxRounds; round++) {
    const found = await withVariable(wanted);
    if (found.length === 0) return;
    for (const pid of found) killQuietly(pid);
  }
}

async function withVariable(wanted: string): Promise<number[]> {
  const entries = await readdir('/proc').catch(() => []);
  const pids = entries.filter((name) => /^\d+$/.test(name)).map(Number);
  const has = await Promise.all(pids.map(async (pid) => (await variablesOf(pid)).includes(wanted)));
  return pids.filter((_, index) => has[index]);
}

/** Empty for a process that has ended, or that belongs to another user. */
const variablesOf = (pid: number): Promise<string> => readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
