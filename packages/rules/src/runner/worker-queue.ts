import { Worker } from 'node:worker_threads';
import { type RuleAnswer, type RuleTask, workerMark } from './protocol.ts';
import { TurnsOfOwners } from './turns-of-owners.ts';

/** An object of 1.5 MB in the types of CEL, and what a million units can make of it. */
const resourceLimits = { maxOldGenerationSizeMb: 256 };

/**
 * There is no answer to a task: its thread did not start, ended or was ended before, or too many tasks wait. Except for `RuleMemoryError`
 * it says nothing about the task, which may have an answer when the machine is less busy.
 */
export class RuleTaskError extends Error {
  override readonly name = 'RuleTaskError';
  readonly isTimeout: boolean;

  constructor(message: string, isTimeout: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isTimeout = isTimeout;
  }
}

/** The thread has not begun with a task: too many others wait. */
export class RuleQueueError extends RuleTaskError {
  constructor(message: string) {
    super(message, false);
  }
}

/** The thread has no more memory for a task: unlike other errors it says that the task is too large. */
export class RuleMemoryError extends RuleTaskError {
  constructor(options: ErrorOptions) {
    super(`it takes more than ${resourceLimits.maxOldGenerationSizeMb} MiB of memory`, false, options);
  }
}

/** Whose task it is, and how long it may wait. */
export interface RuleCaller {
  /** Owners take turns: the tasks of one make those of another wait for one of them at most, besides that which is under way. */
  readonly owner: string;
  /** By `performance.now()`: a task that has not begun by then has no answer. Unset: it waits for its turn, as work in the background may. */
  readonly beginBy?: number;
  /** A task that has not begun when this is aborted leaves the queue, and is rejected with the reason. */
  readonly signal?: AbortSignal;
}

/** Work of the process itself. */
export const ownWork: RuleCaller = { owner: '' };

/** An answer, and how long the task took once its language was loaded. */
export interface TimedAnswer {
  readonly answer: RuleAnswer;
  readonly elapsedMs: number;
}

interface QueuedTask {
  readonly task: RuleTask;
  readonly timeoutMs: number;
  /** Called when it waits no longer. */
  stopWaiting(): void;
  resolve(answer: TimedAnswer): void;
  reject(error: unknown): void;
}

/** More than callers have under way, each of which awaits one task at a time. Others are told to come again. */
const maxQueued = 10_000;

/** For the thread to start and to load a language, on a machine that is busy. */
const loadTimeoutMs = 30_000;

/**
 * One thread for all rules that take long, started with the first of them. It has one task at a time, so that a task that has to be
 * ended, which ends the thread, takes no other along.
 */
export class WorkerQueue {
  #worker: Worker | undefined;
  #current: QueuedTask | undefined;
  #deadline: NodeJS.Timeout | undefined;
  /** By `performance.now()`. */
  #started = 0;
  readonly #waiting = new TurnsOfOwners<QueuedTask>();

  run(task: RuleTask, timeoutMs: number, { owner, beginBy, signal }: RuleCaller = ownWork): Promise<TimedAnswer> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#waiting.size >= maxQueued) {
      return Promise.reject(new RuleQueueError(`${maxQueued} rules wait to be evaluated`));
    }
    return new Promise((resolve, reject) => {
      const queued: QueuedTask = { task, timeoutMs, resolve, reject, stopWaiting };
      let timer: NodeJS.Timeout | undefined;
      const giveUp = (why: unknown): void => {
        this.#waiting.delete(owner, queued);
        stopWaiting();
        reject(why);
      };
      const abort = () => giveUp(signal?.reason);
      function stopWaiting(): void {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      }
      this.#waiting.add(owner, queued);
      signal?.addEventListener('abort', abort);
      if (beginBy !== undefined) {
        const late = () => giveUp(new RuleQueueError('it has not begun in time: other rules take long'));
        timer = setTimeout(late, Math.max(0, beginBy - performance.now()));
      }
      if (!this.#current) void this.#next();
    });
  }

  async #next(): Promise<void> {
    const next = this.#waiting.next();
    next?.stopWaiting();
    this.#current = next;
    if (!next) {
      // A program may end while the thread has nothing to do.
      this.#worker?.unref();
      return;
    }
    try {
      const worker = this.#worker ?? (await this.#start());
      worker.ref();
      this.#limit(loadTimeoutMs);
      worker.postMessage(next.task);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#settle((task) =>
        task.reject(new RuleTaskError(`its thread did not start: ${why}`, false, { cause: error })),
      );
    }
  }

  async #start(): Promise<Worker> {
    const { workerUrl } = await import('./worker.ts');
    const worker = new Worker(new URL(workerUrl), {
      workerData: workerMark,
      resourceLimits,
      // A rule must not see how the program was started, and neither reads its input.
      env: {},
      argv: [],
      stdin: false,
    });
    this.#worker = worker;
    worker.on('message', (answer: RuleAnswer) => {
      if (answer.type === 'started') this.#limit(this.#current?.timeoutMs ?? 0);
      else this.#settle((task) => task.resolve({ answer, elapsedMs: performance.now() - this.#started }));
    });
    worker.on('error', (error) => {
      if (this.#worker === worker) this.#end(errorOfThread(error));
    });
    worker.on('exit', () => {
      if (this.#worker === worker) this.#end(new RuleTaskError('its thread ended', false));
    });
    return worker;
  }

  /** Ends the task unless there is an answer in this time. */
  #limit(timeoutMs: number): void {
    clearTimeout(this.#deadline);
    this.#started = performance.now();
    const end = () => this.#end(new RuleTaskError(`it did not end within ${timeoutMs} ms`, true));
    this.#deadline = setTimeout(end, timeoutMs);
  }

  /** Ends the thread, and with it the task that it has. */
  #end(error: RuleTaskError): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
    this.#settle((task) => task.reject(error));
  }

  #settle(answer: (task: QueuedTask) => void): void {
    clearTimeout(this.#deadline);
    const task = this.#current;
    this.#current = undefined;
    if (task) answer(task);
    void this.#next();
  }
}

const errorOfThread = (error: unknown): RuleTaskError =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new RuleMemoryError({ cause: error })
    : new RuleTaskError(error instanceof Error ? error.message : String(error), false, { cause: error });
