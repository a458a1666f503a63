import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { EpochMs } from '@flotilla/kube/clock';
import type { Container, ContainerStatus, Probe } from '@flotilla/kube/kinds';
import { parseTime } from '@flotilla/kube/meta';
import { Prober, type ProbeVerdict } from '../probes/prober.ts';
import { runProbe } from '../probes/run-probe.ts';
import type { ContainerLog } from '../processes/container-log.ts';
import {
  ContainerProcess,
  type ProcessExit,
  type ProcessHost,
  type ProcessSpec,
} from '../processes/container-process.ts';
import { readLog } from '../processes/read-log.ts';
import type { ContainerSnapshot, ContainerState, Terminated } from './container-state.ts';
import { type CrashBackoff, isForgiven } from './restart.policy.ts';

/** What a container of a pod runs with. */
export interface ContainerRuntimeOptions {
  readonly container: Container;
  readonly host: ProcessHost;
  readonly podIP: string;
  /** Where its logs go. */
  readonly logDirectory: string;
  readonly backoff: CrashBackoff;
  /** Why it does not run at first. */
  readonly waitingReason: 'PodInitializing' | 'ContainerCreating';
  /** What an earlier run of the node reported. */
  readonly reported?: ContainerStatus;
  /** Something changed that the pod's status shows. */
  readonly onChange: () => void;
  readonly onEvent: (type: 'Normal' | 'Warning', reason: string, note: string) => void;
}

const secondMs = 1000;

/** One container of a pod through all its restarts. */
export class ContainerRuntime {
  readonly #options: ContainerRuntimeOptions;
  readonly #probers = new Map<'startup' | 'readiness' | 'liveness', Prober>();
  #state: ContainerState;
  #pause: string | undefined;
  #last: Terminated | undefined;
  #restartCount: number;
  #crashes = 0;
  #containerID: string | undefined;
  #process: ContainerProcess | undefined;
  #previousLog: ContainerLog | undefined;
  #log: ContainerLog | undefined;
  #cancelKill: (() => void) | undefined;

  constructor(options: ContainerRuntimeOptions) {
    this.#options = options;
    this.#restartCount = options.reported?.restartCount ?? 0;
    const lost = lostContainer(options.reported, options.host.clock.now());
    this.#state = lost ?? { kind: 'waiting', reason: options.waitingReason };
  }

  get container(): Container {
    return this.#options.container;
  }

  get process(): ContainerProcess | undefined {
    return this.#process;
  }

  get isRunning(): boolean {
    return this.#process !== undefined;
  }

  get snapshot(): ContainerSnapshot {
    const isStarted = this.isRunning && (this.#probers.get('startup')?.verdict ?? 'success') === 'success';
    const readiness = this.#probers.get('readiness');
    const hasReadiness = this.container.readinessProbe !== undefined;
    return {
      container: this.container,
      state: this.#state,
      ...(this.#last && { last: this.#last }),
      ...(this.#pause !== undefined && { pause: this.#pause }),
      restartCount: this.#restartCount,
      crashes: this.#crashes,
      ...(this.#containerID !== undefined && { containerID: this.#containerID }),
      isStarted,
      isReady: isStarted && (!hasReadiness || readiness?.verdict === 'success'),
    };
  }

  /** It does not run, for a reason that the status shows. */
  wait(reason: string, message?: string): void {
    if (this.isRunning) return;
    if (this.#state.kind === 'terminated') this.#last = this.#state;
    this.#state = { kind: 'waiting', reason, ...(message !== undefined && { message }) };
  }

  /** It waits to be started again; the status says so. */
  pause(message: string): void {
    this.#pause = message;
  }

  /** Starts it, as a restart if it ran before. */
  async start(spec: ProcessSpec): Promise<void> {
    const { host, onEvent, logDirectory } = this.#options;
    const before = this.#state.kind === 'terminated' ? this.#state : this.#last;
    if (before) {
      this.#restartCount += 1;
      this.#crashes = isForgiven(before.startedAt, before.finishedAt, this.#options.backoff) ? 1 : this.#crashes + 1;
      this.#last = before;
    }
    const process = await ContainerProcess.start(host, spec, join(logDirectory, `${this.#restartCount}.log`));
    this.#process = process;
    this.#pause = undefined;
    // As a kubelet: the logs of the last two runs are kept.
    void this.#previousLog?.remove();
    this.#previousLog = this.#log;
    this.#log = process.log;
    this.#containerID = `process://${randomBytes(16).toString('hex')}`;
    const startedAt = host.clock.now();
    this.#state = { kind: 'running', startedAt };
    onEvent('Normal', 'Started', `Started container ${this.container.name}`);
    this.#startProbes(process, startedAt);
    void process.exited.then((exit) => this.#ended(exit, startedAt));
  }

  /** SIGTERM now, SIGKILL when the grace is over. Calling it again replaces the grace. */
  stop(graceMs: number): void {
    if (!this.#process) return;
    this.#stopProbes();
    const { clock } = this.#options.host;
    this.#process.kill(graceMs > 0 ? 'SIGTERM' : 'SIGKILL');
    this.#cancelKill?.();
    const process = this.#process;
    this.#cancelKill = clock.schedule(graceMs, () => process.kill('SIGKILL'));
  }

  /** The log of the present or last run, or of the one before. */
  log(previous: boolean): ContainerLog | undefined {
    return previous ? this.#previousLog : this.#log;
  }

  async #ended(exit: ProcessExit, startedAt: EpochMs): Promise<void> {
    const message = await this.#terminationMessage(exit);
    this.#cancelKill?.();
    this.#stopProbes();
    this.#process = undefined;
    this.#state = {
      kind: 'terminated',
      ...exit,
      reason: exit.exitCode === 0 ? 'Completed' : 'Error',
      ...(message && { message }),
      startedAt,
      finishedAt: this.#options.host.clock.now(),
      ...(this.#containerID !== undefined && { containerID: this.#containerID }),
    };
    this.#options.onChange();
  }

  /** The end of the log, where the container asks for it; its message file is not read. */
  async #terminationMessage({ exitCode }: ProcessExit): Promise<string | undefined> {
    if (exitCode === 0 || this.container.terminationMessagePolicy !== 'FallbackToLogsOnError' || !this.#log)
      return undefined;
    let text = '';
    for await (const line of readLog(this.#log, { tailLines: 80 }, new AbortController().signal)) text += line;
    return text.slice(-2048);
  }

  #startProbes(process: ContainerProcess, startedAt: EpochMs): void {
    const { startupProbe } = this.container;
    if (!startupProbe) {
      this.#startLaterProbes(process, startedAt);
      return;
    }
    this.#probe('startup', startupProbe, process, startedAt, (verdict) => {
      if (verdict === 'failure')
        this.#fail(`Container ${this.container.name} failed startup probe, will be restarted`, startupProbe);
      else {
        this.#probers.get('startup')?.stop();
        this.#startLaterProbes(process, startedAt);
      }
    });
  }

  #startLaterProbes(process: ContainerProcess, startedAt: EpochMs): void {
    const { livenessProbe, readinessProbe } = this.container;
    if (readinessProbe) this.#probe('readiness', readinessProbe, process, startedAt, () => {});
    if (!livenessProbe) return;
    this.#probe('liveness', livenessProbe, process, startedAt, (verdict) => {
      if (verdict === 'failure')
        this.#fail(`Container ${this.container.name} failed liveness probe, will be restarted`, livenessProbe);
    });
  }

  #probe(
    kind: 'startup' | 'readiness' | 'liveness',
    probe: Probe,
    process: ContainerProcess,
    startedAt: EpochMs,
    onVerdict: (verdict: ProbeVerdict) => void,
  ): void {
    const { host, podIP, onEvent, onChange } = this.#options;
    const name = `${kind[0]?.toUpperCase()}${kind.slice(1)}`;
    const prober = new Prober({
      probe,
      clock: host.clock,
      startedAt,
      isEager: kind !== 'liveness',
      run: (signal) => runProbe(probe, { podIP, container: this.container, process, host }, signal),
      onFailure: (message) => onEvent('Warning', 'Unhealthy', `${name} probe failed: ${message}`),
      onChange: (verdict) => {
        onVerdict(verdict);
        onChange();
      },
    });
    this.#probers.set(kind, prober);
  }

  #fail(note: string, probe: Probe): void {
    this.#options.onEvent('Normal', 'Killing', note);
    this.stop((probe.terminationGracePeriodSeconds ?? 30) * secondMs);
  }

  #stopProbes(): void {
    for (const prober of this.#probers.values()) prober.stop();
    this.#probers.clear();
  }
}

/** A container that an earlier node reported as running is gone: nobody knows how it ended. */
function lostContainer(reported: ContainerStatus | undefined, now: EpochMs): Terminated | undefined {
  if (!reported?.state?.running) return undefined;
  const startedAt = parseTime(reported.state.running.startedAt);
  return {
    kind: 'terminated',
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: 'The node was started again; its processes ended with it',
    ...(startedAt !== undefined && { startedAt }),
    finishedAt: now,
    ...(reported.containerID !== undefined && { containerID: reported.containerID }),
  };
}
