import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { Clock } from '@flotilla/kube';

/** The variable by which the processes of a container are found, whatever group or session they made for themselves. */
export const markVariable = 'PROCESS_NODE_CONTAINER';

/** A mark of a container that no other container has; it begins with that of its node. */
export const newMark = (node: string): string => `${node}.${randomUUID()}`;

/** A process may start others while it is looked for, and there may be no files to open for a moment. */
const maxRounds = 20;
const roundMs = 50;

/** Files that are open at a time: the node has others to serve. */
const maxOpen = 16;

/** The variables that a process was started with. Rejects as `readFile` does. */
export type ReadVariables = (pid: number) => Promise<string>;
const readVariables: ReadVariables = (pid) => readFile(`/proc/${pid}/environ`, 'latin1');

/**
 * Kills the processes that have the mark in the variables that they were started with: not those that were started without variables, or
 * wrote over them. Nothing where there is no /proc.
 */
export async function killMarked(mark: string, clock: Clock, read = readVariables): Promise<void> {
  const wanted = `${markVariable}=${mark}\0`;
  for (let round = 0; round < maxRounds; round++) {
    const { found, unknown } = await withVariable(wanted, read);
    if (found.length + unknown === 0) return;
    for (const pid of found) killQuietly(pid);
    if (unknown > 0) await clock.sleep(roundMs);
  }
}

/** The processes that have a variable, and how many could not be asked. */
async function withVariable(wanted: string, read: ReadVariables): Promise<{ found: number[]; unknown: number }> {
  const entries = await readdir('/proc').catch(() => []);
  const pids = entries.filter((name) => /^\d+$/.test(name)).map(Number);
  const found: number[] = [];
  let unknown = 0;
  for (let at = 0; at < pids.length; at += maxOpen) {
    const ask = async (pid: number) => {
      const variables = await read(pid).catch((error) => (isOutOfFiles(error) ? undefined : ''));
      if (variables === undefined) unknown += 1;
      else if (variables.includes(wanted)) found.push(pid);
    };
    await Promise.all(pids.slice(at, at + maxOpen).map(ask));
  }
  return { found, unknown };
}

/** Other errors are of processes that have ended, or that belong to another user. */
const isOutOfFiles = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
