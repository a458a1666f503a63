import type { Clock } from '../clock/clock.ts';
import { answerTooLarge } from '../errors/answer-too-large.ts';
import { KubeError } from '../errors/kube-error.ts';
import type { AnswerBudget } from './answer-budget.ts';
import type { KubeRequest } from './transport.ts';

/** What a call can be waiting for: named in the error when its deadline passes. */
export type WaitReason = 'credentials' | 'a free slot' | 'a connection' | 'the response' | 'the next try';

/**
 * One request of a caller with all its tries: its deadline, its cancellation, and what it waits for at the moment.
 * Whoever makes the call wait says how to interrupt that wait; there is one timer and at most one listener per call.
 */
export class Call {
  /** Set once the deadline passed, the caller canceled or the transport closed. */
  failure: KubeError | undefined;
  /** The error of the previous try, for the message of a timeout. */
  lastError: KubeError | undefined;
  waitingFor: WaitReason = 'credentials';
  /** Whether it counts among the requests under way. */
  holdsSlot = false;
  /** Address of the server, once known. */
  server = '';

  readonly #request: KubeRequest;
  readonly #clock: Clock;
  readonly #deadlineMs: number;
  readonly #budget: AnswerBudget;
  readonly #endsAt: number;
  /** Set while the caller's signal is listened to. */
  #onAbort: (() => void) | undefined;
  #stopTimer: (() => void) | undefined;
  #interrupt: ((error: KubeError) => void) | undefined;
  /** Bytes of the answer of this try. */
  #received = 0;

  constructor(request: KubeRequest, deadlineMs: number, clock: Clock, budget: AnswerBudget) {
    this.#request = request;
    this.#clock = clock;
    this.#deadlineMs = deadlineMs;
    this.#budget = budget;
    this.#endsAt = clock.monotonic() + deadlineMs;
    const { signal } = request;
    if (signal) {
      if (signal.aborted) {
        this.#abortedBy(signal);
        return;
      }
      this.#onAbort = () => this.#abortedBy(signal);
      signal.addEventListener('abort', this.#onAbort, { once: true });
    }
    this.#stopTimer = clock.schedule(deadlineMs, () => this.#timeOut());
  }

  /** Method and path, for messages; a query may be long. */
  get what(): string {
    const { method, path } = this.#request;
    const query = path.indexOf('?');
    return `${method} ${query < 0 ? path : path.slice(0, query)}${this.server && ` of ${this.server}`}`;
  }

  /** Milliseconds left before the deadline. */
  get remainingMs(): number {
    return this.#endsAt - this.#clock.monotonic();
  }

  /** Says what is waited for and how to end that wait early. Throws if the call is over already. */
  begin(waitingFor: WaitReason, interrupt: (error: KubeError) => void): void {
    if (this.failure) throw this.failure;
    this.waitingFor = waitingFor;
    this.#interrupt = interrupt;
    this.#release();
  }

  /** Counts what has arrived of the answer. False if it is too much: then the call is over. */
  receive(bytes: number): boolean {
    if (this.failure) return false;
    this.#received += bytes;
    if (this.#budget.take(bytes)) return true;
    this.#fail(answerTooLarge(this.what, this.#budget.maxBytes));
    return false;
  }

  #release(): void {
    this.#budget.release(this.#received);
    this.#received = 0;
  }

  /** Waits for something that others may wait for too; it goes on if this call is over first. */
  wait<T>(waitingFor: WaitReason, promise: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      promise.then(resolve, reject);
      this.begin(waitingFor, reject);
    });
  }

  /** From here on only cancellation ends the call: a stream whose headers arrived has no deadline. */
  stopDeadline(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  /** The call is done: its timer and listener go. */
  end(): void {
    this.stopDeadline();
    this.#interrupt = undefined;
    this.#release();
    if (this.#onAbort) this.#request.signal?.removeEventListener('abort', this.#onAbort);
  }

  /** Ends the call with `Canceled`. */
  cancel(why: string, cause?: unknown): void {
    this.#fail(new KubeError('Canceled', `${this.what}: ${why}`, { cause }));
  }

  #timeOut(): void {
    const after = this.lastError === undefined ? '' : `; the try before it failed: ${this.lastError.message}`;
    this.#fail(
      new KubeError(
        'Timeout',
        `${this.what} did not finish within ${this.#deadlineMs} ms: it was waiting for ${this.waitingFor}${after}`,
        { cause: this.lastError, hint: timeoutHints[this.waitingFor] },
      ),
    );
  }

  #fail(error: KubeError): void {
    if (this.failure) return;
    this.failure = error;
    const interrupt = this.#interrupt;
    this.end();
    interrupt?.(error);
  }

  #abortedBy(signal: AbortSignal): void {
    this.cancel('the caller aborted it', signal.reason);
  }
}

const timeoutHints: Readonly<Record<WaitReason, string>> = {
  credentials: 'Check the credentials of the kubeconfig: an exec plugin or a Secret that is slow or missing.',
  'a free slot': 'Too many requests are under way from this process: raise `maxInFlight`, or send fewer at once.',
  'a connection': 'Check that the server address is right and reachable from here: DNS, firewall, proxy.',
  'the response':
    'The request may still have taken effect: read before writing again. Check the load of the API server, its etcd and its admission webhooks.',
  'the next try': 'The server kept failing: see the failure named in the message.',
};
