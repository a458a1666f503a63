import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs in its own session and reads orders from a pipe, which closes when the node ends, however it ends (SIGKILL included). Then the
 * process groups of all containers are killed: without the node nothing would ever end them.
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
exit 0
`;

/** Ends the containers of a node that died. */
export interface Watchdog {
  watch(group: number): void;
  /** To be called once the group has ended, before its number can belong to another. */
  forget(group: number): void;
  close(): Promise<void>;
}

export function startWatchdog(): Watchdog {
  const shell = spawn('/bin/sh', ['-c', script, 'process-node-watchdog'], {
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
    watch: (group) => void shell.stdin.write(`watch ${group}\n`),
    forget: (group) => void shell.stdin.write(`forget ${group}\n`),
    async close() {
      shell.stdin.end();
      await exited;
    },
  };
}
