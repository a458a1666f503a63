import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { markVariable } from './container-mark.ts';

/**
 * Runs in its own session and reads orders from a pipe, which closes when the node ends, however it ends (SIGKILL included). Then the
 * process groups of all containers are killed, and what left them: without the node nothing would ever end them.
 * Argument: how the variable begins that all processes of containers have.
 */
const script = `
trap '' INT TERM HUP QUIT
groups=''
while read -r order value; do
  kept=''
  for group in $groups; do [ "$group" = "$value" ] || kept="$kept $group"; done
  groups=$kept
  [ "$order" = forget ] || groups="$groups $value"
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
for variables in /proc/[0-9]*/environ; do
  grep -q -a "$1" "$variables" 2>/dev/null || continue
  process=\${variables#/proc/}
  kill -s KILL "\${process%/environ}" 2>/dev/null
done
exit 0
`;

/** Ends the containers of a node that died. */
export interface Watchdog {
  /** How the marks of this node's containers begin. */
  readonly mark: string;
  watch(group: number): void;
  /** To be called once the group has ended, before its number can belong to another. */
  forget(group: number): void;
  close(): Promise<void>;
}

export function startWatchdog(): Watchdog {
  const mark = randomUUID();
  const shell = spawn('/bin/sh', ['-c', script, 'process-node-watchdog', `${markVariable}=${mark}`], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const exited = once(shell, 'exit');
  // An order that cannot be delivered must not end the process.
  shell.stdin.on('error', () => {});
  exited.catch(() => {});
  shell.unref();
  return {
    mark,
    watch: (group) => void shell.stdin.write(`watch ${group}\n`),
    forget: (group) => void shell.stdin.write(`forget ${group}\n`),
    async close() {
      shell.stdin.end();
      await exited;
    },
  };
}
