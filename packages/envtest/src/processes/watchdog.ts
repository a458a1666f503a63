import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs in its own session and reads orders from a pipe. The pipe closes when the owner closes it or dies, however it dies
 * (SIGKILL included); then all watched processes are killed and the directory removed.
 * A shell needs 2 MiB where another Node would need 40.
 */
const script = `
trap '' INT TERM HUP QUIT
pids='' directory=''
while read -r order value; do
  case $order in
    watch) pids="$pids $value" ;;
    forget)
      kept=''
      for pid in $pids; do [ "$pid" = "$value" ] || kept="$kept $pid"; done
      pids=$kept ;;
    remove) directory=$value ;;
  esac
done
for pid in $pids; do kill -KILL "$pid" 2>/dev/null; done
[ -n "$directory" ] || exit 0
for attempt in 1 2 3 4 5; do
  rm -rf -- "$directory" 2>/dev/null && exit 0
  sleep 1
done
exit 1
`;

/** Ends processes and removes a directory when this Node process ends, for whatever reason. */
export interface Watchdog {
  watch(pid: number): void;
  /** To be called once a watched process has ended, before its number can belong to another. */
  forget(pid: number): void;
  /** Does now what it would do at the owner's death: kills what is still watched and removes the directory. */
  close(): Promise<void>;
}

/** Starts a watchdog; `directory` is removed at the end, unless it is to be kept. */
export function startWatchdog(options: { directory?: string } = {}): Watchdog {
  const shell = spawn('/bin/sh', ['-c', script, 'flotilla-envtest-watchdog'], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const exited = once(shell, 'exit');
  // A dead watchdog shows at close(); an order that cannot be delivered must not end the process.
  shell.stdin.on('error', () => {});
  exited.catch(() => {});
  const order = (verb: 'watch' | 'forget' | 'remove', value: string | number) =>
    shell.stdin.write(`${verb} ${value}\n`);
  if (options.directory) order('remove', options.directory);
  return {
    watch: (pid) => void order('watch', pid),
    forget: (pid) => void order('forget', pid),
    async close() {
      shell.stdin.end();
      await exited;
    },
  };
}
