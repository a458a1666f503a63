import { backoffMs, type Clock } from '@flotilla/kube/clock';
import { RuleTaskError } from '@flotilla/rules/runner';
import type { CelMatch } from '../scheduler/cel-selector.ts';
import type { ClusterView } from '../scheduler/cluster-view.ts';
import type { ExpressionTest } from '../scheduler/predicate.ts';
import { BitSet } from './bit-set.ts';
import type { ClusterTable } from './cluster-table.ts';
import { Column } from './column.ts';
import { NumberColumn } from './number-column.ts';

/** The letters of an expression that are quoted. */
const maxQuoted = 200;

/** Between evaluations to which there was no answer. A thread that does not answer is ended after 10 s, which others wait for. */
const retryBackoff = { baseMs: 1000, maxMs: 300_000 };

/** Evaluations without an answer after which users are told. */
const failuresUntilFault = 3;

/** Options of columns with expressions. */
interface ExpressionColumnOptions {
  readonly clock: Pick<Clock, 'schedule'>;
  readonly readsScores: boolean;
}

/**
 * A column whose test has expressions. It tests only clusters that a placement asked for, since an expression can cost as much as all
 * the rest of a schedule. What does not fit into a turn of the event loop is evaluated later, one cluster after another; until then, and
 * while evaluations fail, the answer stays as it was.
 */
export class ExpressionColumn extends Column {
  /** Are called when clusters were evaluated later, or there is a fault. */
  readonly evaluations = new Set<() => void>();
  readonly #clusters: ClusterTable;
  readonly #test: ExpressionTest;
  readonly #evaluated = new BitSet();
  readonly #pending = new Set<number>();
  readonly #costs = new NumberColumn(0);
  #isRunning = false;
  /** The cluster that is evaluated later at this moment, and whether something that its expressions read changed since that began. */
  #current: number | undefined;
  #isOutdated = false;
  readonly #clock: Pick<Clock, 'schedule'>;
  readonly #closing = new AbortController();
  /** Evaluations without an answer since clusters began to wait. */
  #failures = 0;
  #fault: string | undefined;
  /** Set while evaluations wait to be tried again. */
  #cancelRetry: (() => void) | undefined;

  constructor(clusters: ClusterTable, test: ExpressionTest, { clock, readsScores }: ExpressionColumnOptions) {
    super((view) => test.matchesLabels(view), { readsObject: true, readsScores });
    this.#clock = clock;
    this.#clusters = clusters;
    this.#test = test;
  }

  /** The expressions as a user wrote them, shortened. */
  get quoted(): string {
    const { text } = this.#test;
    return text.length > maxQuoted ? `${text.slice(0, maxQuoted)}…` : text;
  }

  /** Why clusters without an answer wait for it, once evaluations failed again and again. */
  get fault(): string | undefined {
    return this.#fault;
  }

  nameOf(id: number): string {
    return this.#clusters.nameOf(id);
  }

  /** What the last evaluation of a cluster did cost. */
  costOf(id: number): number {
    return this.#costs.get(id);
  }

  isEvaluated(id: number): boolean {
    return this.#evaluated.has(id);
  }

  /** Whether there is an answer for a cluster. If not, it is evaluated, and `evaluations` are called then. */
  evaluate(id: number): boolean {
    if (!this.#evaluated.has(id)) this.#begin(id);
    return this.#evaluated.has(id);
  }

  override update(id: number, view: ClusterView | undefined): void {
    if (view) {
      // Scores change without a new view.
      if (id === this.#current) this.#isOutdated = true;
      if (this.#evaluated.has(id) || this.#pending.has(id)) this.#begin(id);
      return;
    }
    this.#pending.delete(id);
    this.#evaluated.set(id, false);
    this.#costs.set(id, 0);
    this.put(id, false);
  }

  /** Evaluates nothing more. */
  close(): void {
    this.#pending.clear();
    this.#closing.abort();
    this.#cancelRetry?.();
    this.evaluations.clear();
  }

  #begin(id: number): void {
    const view = this.#clusters.viewOf(id);
    const match = this.test(view) ? this.#test.tryMatch(view) : { matches: false, cost: 0 };
    if (match) {
      const didWait = this.#pending.delete(id);
      this.#record(id, match);
      if (didWait && this.#fault !== undefined) this.#notify();
    } else {
      this.#pending.add(id);
      if (!this.#isRunning && !this.#cancelRetry) void this.#run();
    }
  }

  #record(id: number, { matches, cost }: CelMatch): void {
    this.#evaluated.set(id, true);
    this.#costs.set(id, cost);
    this.put(id, matches);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (const id of this.#pending) {
      const view = this.#clusters.view(id);
      this.#current = id;
      this.#isOutdated = false;
      const answer = view && (await this.#answerFor(view));
      this.#current = undefined;
      // Closed, deleted or changed meanwhile: a changed one is evaluated again, in its turn.
      if (!this.#pending.delete(id)) continue;
      if (answer instanceof RuleTaskError) {
        // Others come first when it is tried again.
        this.#pending.add(id);
        this.#retryLater(id, answer);
        break;
      }
      if (this.#isOutdated || view !== this.#clusters.view(id)) this.#pending.add(id);
      else if (answer) {
        this.#record(id, answer);
        this.#notify();
      }
    }
    this.#isRunning = false;
    if (this.#pending.size > 0) return;
    this.#failures = 0;
    this.#fault = undefined;
  }

  async #answerFor(view: ClusterView): Promise<CelMatch | RuleTaskError> {
    try {
      return await this.#test.match(view, this.#closing.signal);
    } catch (error) {
      return error instanceof RuleTaskError ? error : new RuleTaskError(String(error), false, { cause: error });
    }
  }

  #retryLater(id: number, { message }: RuleTaskError): void {
    this.#failures += 1;
    this.#cancelRetry = this.#clock.schedule(backoffMs(retryBackoff, this.#failures, 1), () => {
      this.#cancelRetry = undefined;
      void this.#run();
    });
    if (this.#failures < failuresUntilFault) return;
    const cluster = this.#clusters.nameOf(id);
    // It stays the same while it lasts, so that it is not written again and again.
    this.#fault ??=
      `the CEL expressions ${this.quoted} have no answer for the cluster ${cluster}: ${message}; they are tried again, and the ` +
      'decisions stay as they are: simplify them, or give the hub more CPU and memory';
    if (this.#failures === failuresUntilFault) this.#notify();
  }

  #notify(): void {
    for (const evaluated of [...this.evaluations]) evaluated();
  }
}
