import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** What a mark begins with, so that the identity of another program is not taken for one of ours. */
const prefix = 'proc-';

/**
 * Names a process of this machine so that a later one can find out whether it is gone: where it runs, its number, and when it was
 * started. Undefined where this cannot be known.
 */
export function processMark(pid: number = process.pid): string | undefined {
  const place = processSpace();
  const started = startTimeOf(pid);
  return place === undefined || started === undefined ? undefined : `${prefix}${place}-${pid}-${started}`;
}

/** Whether an identity names a process of this machine that has ended. False whenever there is a doubt. */
export function isProcessGone(identity: string): boolean {
  const [, place, pid, started] = /proc-([0-9a-f]{16})-(\d+)-(\d+)$/.exec(identity) ?? [];
  if (place === undefined || place !== processSpace()) return false;
  if (!exists(Number(pid))) return true;
  // Its number may belong to another process by now.
  const startedNow = startTimeOf(Number(pid));
  return startedNow !== undefined && startedNow !== started;
}

/**
 * Within this, a number means one process at a time: the same start of the same kernel, the same namespace of processes. The name
 * of the host is in it because some sandboxes have the same values everywhere for the other two.
 */
function processSpace(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const parts = [boot, readlinkSync('/proc/self/ns/pid'), hostname()];
    return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16);
  } catch {
    return undefined;
  }
}

/** Signal 0 is not delivered: it fails for a process that does not exist. Files in /proc may be hidden from other users. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/** In ticks since the kernel started: the 22nd field, counted behind the name, which may have blanks and parentheses. */
function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .at(19);
  } catch {
    return undefined;
  }
}
