import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Names a process beyond its number, which another may get after its end. */
export interface ProcessIdentity {
  pid: number;
  /** When it started, in whatever unit the system has; only equality matters. */
  started: string;
  /** The machine or container in which the number means something. */
  host: string;
}

/** The identity of this process, to be written as the owner of a lock or directory. */
export const ownIdentity = (): ProcessIdentity => ({
  pid: process.pid,
  started: startOf(process.pid) ?? '',
  host: hostIdentity(),
});

/**
 * Whether the owner lives. One from another machine or container, seen through a shared directory, counts as alive:
 * its number says nothing here, and taking away what is in use is worse than leaving it.
 */
export function isAlive(owner: ProcessIdentity): boolean {
  return owner.host !== hostIdentity() || startOf(owner.pid) === owner.started;
}

/** The command line of a process, if it lives and may be seen. */
export function commandLine(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return ps(pid, 'args=');
  }
}

function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may hold anything; after it the 20th field is the start time and the first the state.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return ps(pid, 'lstart=');
  }
}

/** For systems without /proc. */
function ps(pid: number, column: string): string | undefined {
  if (process.platform === 'linux') return undefined;
  try {
    const output = execFileSync('ps', ['-ww', '-o', column, '-p', String(pid)], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return output.toString().trim() || undefined;
  } catch {
    return undefined;
  }
}

function hostIdentity(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}
