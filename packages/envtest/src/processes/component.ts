import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '@flotilla/kube';
import { EnvtestError } from '../errors.ts';
import { tailFile } from './log-tail.ts';
import type { Watchdog } from './watchdog.ts';

/** One process of the control plane, to be broken on purpose. */
export interface Component {
  readonly name: string;
  readonly state: 'stopped' | 'running' | 'paused';
  readonly pid: number | undefined;
  /** Where its output goes; a restart appends. */
  readonly logFile: string;
  /** Starts it and resolves when it is ready; nothing happens if it runs already. */
  start(): Promise<void>;
  /** SIGTERM, and SIGKILL if it has not ended after `graceMs` (default 5 s). */
  stop(options?: { graceMs?: number }): Promise<void>;
  /** SIGKILL: without a graceful shutdown. */
  kill(): Promise<void>;
  /** Stop and start; `kill` instead of `stop` with `{ kill: true }`. */
  restart(options?: { kill?: boolean }): Promise<void>;
  /** SIGSTOP: it keeps its sockets and answers nothing. */
  pause(): void;
  /** SIGCONT. */
  resume(): void;
  /** The end of its log. */
  logTail(lines?: number): Promise<string>;
}

/** How a component is started and when it counts as ready. */
export interface ComponentSpec {
  name: string;
  command: string;
  /** Asked at each start, so that a restart may use other flags. */
  args: () => readonly string[];
  directory: string;
  logFile: string;
  env: NodeJS.ProcessEnv;
  watchdog: Watchdog;
  clock: Clock;
  readyTimeoutMs: number;
  /** Resolves when the process serves; should give up when the signal aborts. */
  ready: (signal: AbortSignal) => Promise<void>;
}

/** A component that is not yet running. */
export function createComponent(spec: ComponentSpec): Component {
  let child: ChildProcess | undefined;
  let starting: Promise<void> | undefined;
  let paused = false;

  const send = (signal: NodeJS.Signals) => {
    if (!child) {
      throw new EnvtestError('NotRunning', `${spec.name} does not run, so it cannot be sent ${signal}`);
    }
    child.kill(signal);
  };

  const launch = async (): Promise<ChildProcess> => {
    await mkdir(dirname(spec.logFile), { recursive: true, mode: 0o700 });
    await using log = await open(spec.logFile, 'a', 0o600);
    const started = spawn(spec.command, spec.args(), {
      cwd: spec.directory,
      env: spec.env,
      // Own process group: Ctrl-C in a terminal reaches us, and we decide in which order things end.
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    const { pid } = started;
    if (pid === undefined) {
      const [cause] = await once(started, 'error');
      throw new EnvtestError('StartFailed', `${spec.command} cannot be run: ${cause}`, { cause });
    }
    // Before the first await: the process may end at once.
    child = started;
    spec.watchdog.watch(pid);
    started.once('exit', () => {
      spec.watchdog.forget(pid);
      if (child === started) child = undefined;
      paused = false;
    });
    await writeFile(join(spec.directory, `${spec.name}.pid`), `${pid}\n`, { mode: 0o600 });
    return started;
  };

  const whenReady = async (started: ChildProcess): Promise<void> => {
    const giveUp = new AbortController();
    const cancelTimeout = spec.clock.schedule(spec.readyTimeoutMs, () => giveUp.abort('timeout'));
    const onExit = () => giveUp.abort('exit');
    started.once('exit', onExit);
    try {
      if (started.exitCode !== null || started.signalCode !== null) giveUp.abort('exit');
      await spec.ready(giveUp.signal);
    } catch (cause) {
      const ended = giveUp.signal.reason === 'exit';
      const how = ended
        ? `ended with ${started.signalCode ?? `code ${started.exitCode}`} before it was ready`
        : `was not ready after ${spec.readyTimeoutMs} ms`;
      const tail = await tailFile(spec.logFile, 20);
      if (!ended) await end('SIGKILL');
      throw new EnvtestError('StartFailed', `${spec.name} ${how}; its log ends with\n${tail}`, { cause });
    } finally {
      cancelTimeout();
      started.off('exit', onExit);
    }
  };

  const end = async (signal: 'SIGTERM' | 'SIGKILL', graceMs = 5000): Promise<void> => {
    const ending = child;
    if (!ending) return;
    const exited = once(ending, 'exit');
    // A stopped process acts on SIGTERM only after SIGCONT.
    if (paused && signal === 'SIGTERM') ending.kill('SIGCONT');
    ending.kill(signal);
    const cancel = spec.clock.schedule(graceMs, () => ending.kill('SIGKILL'));
    await exited;
    cancel();
  };

  const component: Component = {
    name: spec.name,
    logFile: spec.logFile,
    get state() {
      if (!child) return 'stopped';
      return paused ? 'paused' : 'running';
    },
    get pid() {
      return child?.pid;
    },
    async start() {
      if (child && !starting) return;
      starting ??= launch()
        .then(whenReady)
        .finally(() => {
          starting = undefined;
        });
      await starting;
    },
    stop: ({ graceMs } = {}) => end('SIGTERM', graceMs),
    kill: () => end('SIGKILL'),
    async restart({ kill = false } = {}) {
      await (kill ? component.kill() : component.stop());
      await component.start();
    },
    pause() {
      send('SIGSTOP');
      paused = true;
    },
    resume() {
      send('SIGCONT');
      paused = false;
    },
    logTail: (lines = 20) => tailFile(spec.logFile, lines),
  };
  return component;
}
