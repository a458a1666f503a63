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
export const createComponent = (spec: ComponentSpec): Component => new ProcessComponent(spec);

class ProcessComponent implements Component {
  readonly #spec: ComponentSpec;
  #child: ChildProcess | undefined;
  #starting: Promise<void> | undefined;
  #paused = false;

  constructor(spec: ComponentSpec) {
    this.#spec = spec;
  }

  get name() {
    return this.#spec.name;
  }

  get logFile() {
    return this.#spec.logFile;
  }

  get state() {
    if (!this.#child) return 'stopped';
    return this.#paused ? 'paused' : 'running';
  }

  get pid() {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    if (this.#child && !this.#starting) return;
    this.#starting ??= this.#launch()
      .then((started) => this.#whenReady(started))
      .finally(() => {
        this.#starting = undefined;
      });
    await this.#starting;
  }

  stop({ graceMs }: { graceMs?: number } = {}): Promise<void> {
    return this.#end('SIGTERM', graceMs);
  }

  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  async restart({ kill = false }: { kill?: boolean } = {}): Promise<void> {
    await (kill ? this.kill() : this.stop());
    await this.start();
  }

  pause(): void {
    this.#send('SIGSTOP');
    this.#paused = true;
  }

  resume(): void {
    this.#send('SIGCONT');
    this.#paused = false;
  }

  logTail(lines = 20): Promise<string> {
    return tailFile(this.logFile, lines);
  }

  #send(signal: NodeJS.Signals) {
    if (!this.#child) {
      throw new EnvtestError('NotRunning', `${this.#spec.name} does not run, so it cannot be sent ${signal}`);
    }
    this.#child.kill(signal);
  }

  async #launch(): Promise<ChildProcess> {
    await mkdir(dirname(this.#spec.logFile), { recursive: true, mode: 0o700 });
    await using log = await open(this.#spec.logFile, 'a', 0o600);
    const started = spawn(this.#spec.command, this.#spec.args(), {
      cwd: this.#spec.directory,
      env: this.#spec.env,
      // Own process group: Ctrl-C in a terminal reaches us, and we decide in which order things end.
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    const { pid } = started;
    if (pid === undefined) {
      const [cause] = await once(started, 'error');
      throw new EnvtestError('StartFailed', `${this.#spec.command} cannot be run: ${cause}`, { cause });
    }
    // Before the first await: the process may end at once.
    this.#child = started;
    this.#spec.watchdog.watch(pid);
    started.once('exit', () => {
      this.#spec.watchdog.forget(pid);
      if (this.#child === started) this.#child = undefined;
      this.#paused = false;
    });
    await writeFile(join(this.#spec.directory, `${this.#spec.name}.pid`), `${pid}\n`, { mode: 0o600 });
    return started;
  }

  async #whenReady(started: ChildProcess): Promise<void> {
    const giveUp = new AbortController();
    const cancelTimeout = this.#spec.clock.schedule(this.#spec.readyTimeoutMs, () => giveUp.abort('timeout'));
    const onExit = () => giveUp.abort('exit');
    started.once('exit', onExit);
    try {
      if (started.exitCode !== null || started.signalCode !== null) giveUp.abort('exit');
      await this.#spec.ready(giveUp.signal);
    } catch (cause) {
      const ended = giveUp.signal.reason === 'exit';
      const how = ended
        ? `ended with ${started.signalCode ?? `code ${started.exitCode}`} before it was ready`
        : `was not ready after ${this.#spec.readyTimeoutMs} ms`;
      const tail = await tailFile(this.#spec.logFile, 20);
      if (!ended) await this.#end('SIGKILL');
      throw new EnvtestError('StartFailed', `${this.#spec.name} ${how}; its log ends with\n${tail}`, { cause });
    } finally {
      cancelTimeout();
      started.off('exit', onExit);
    }
  }

  async #end(signal: 'SIGTERM' | 'SIGKILL', graceMs = 5000): Promise<void> {
    const ending = this.#child;
    if (!ending) return;
    const exited = once(ending, 'exit');
    // A stopped process acts on SIGTERM only after SIGCONT.
    if (this.#paused && signal === 'SIGTERM') ending.kill('SIGCONT');
    ending.kill(signal);
    const cancel = this.#spec.clock.schedule(graceMs, () => ending.kill('SIGKILL'));
    await exited;
    cancel();
  }
}
