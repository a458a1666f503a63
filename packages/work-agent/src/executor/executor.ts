import { createHash } from 'node:crypto';
import type { ManifestWorkExecutor } from '@flotilla/api-types';
import type { Clock, Informers, KubeClient } from '@flotilla/kube';
import { stringifyJson } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import { type Observable, Subject } from 'rxjs';
import { type ExecutorAction, type ExecutorTarget, isAllowed } from './access-review.ts';
import { Decisions } from './decisions.ts';
import { escalates, guardedKind } from './escalation.ts';
import { type BoundSubject, type RbacWatch, watchRbac } from './rbac-watch.ts';
import { type ExecutorSubject, subjectOf } from './subject.ts';

/** What a manifest needs of the executor of its work. */
export interface ExecutorRequest extends ExecutorTarget {
  readonly manifest: KubeObject;
  /** Whether the object is deleted with the work. */
  readonly owned: boolean;
  /** Whether an allowed manifest is written next; otherwise it is only reported that it may be. */
  readonly writes: boolean;
}

/** Decides whether the executors of works may do what the works need. */
export interface Executor {
  /** Undefined if it is allowed; otherwise why not, for the manifest's condition. Throws if there is no answer, to be tried again. */
  check(executor: ManifestWorkExecutor, request: ExecutorRequest, signal?: AbortSignal): Promise<string | undefined>;
  /** Whether it is allowed to read the object. Throws if there is no answer. */
  mayGet(executor: ManifestWorkExecutor, target: ExecutorTarget): Promise<boolean>;
  /** Keys of executors, as `executorKeyOf` has them, whose works must be synced again: their rights may have changed. */
  readonly changes$: Observable<string>;
  close(): void;
}

/** What an executor check needs. */
export interface ExecutorOptions {
  /** Of the managed cluster, with the agent's own credentials. */
  readonly client: Pick<KubeClient, 'resource' | 'transport'>;
  readonly informers: Informers;
  readonly clock: Clock;
  /** Keys of the executors of all works there are. */
  readonly inUse: () => Iterable<string | undefined>;
}

interface Watched {
  readonly subject: ExecutorSubject;
  readonly decisions: Decisions;
  cancelSecondReview?: () => void;
}

/** The server's authorizer watches roles itself: an answer right after a change may be stale, so the question is repeated. */
const secondReviewMs = 500;
/** How often executors that no work has any more are forgotten. */
const sweepMs = 10 * 60_000;

/**
 * Asks the server by access reviews and remembers its answers for as long as nothing that grants rights changes. It watches roles and
 * bindings from the first check on until no work has an executor; where it is not allowed to watch them, it asks each time.
 */
export const createExecutor = (options: ExecutorOptions): Executor => new ReviewedExecutor(options);

class ReviewedExecutor implements Executor {
  readonly changes$ = new Subject<string>();
  readonly #client: ExecutorOptions['client'];
  readonly #informers: Informers;
  readonly #clock: Clock;
  readonly #inUse: ExecutorOptions['inUse'];
  readonly #watched = new Map<string, Watched>();
  #rbac: { readonly watch: RbacWatch; readonly stop: AbortController; readonly cancelSweep: () => void } | undefined;

  constructor({ client, informers, clock, inUse }: ExecutorOptions) {
    this.#client = client;
    this.#informers = informers;
    this.#clock = clock;
    this.#inUse = inUse;
  }

  async mayGet(executor: ManifestWorkExecutor, target: ExecutorTarget): Promise<boolean> {
    return this.#isAllowed(subjectOf(executor), 'Get', target);
  }

  async check(
    executor: ManifestWorkExecutor,
    { manifest, owned, writes, ...target }: ExecutorRequest,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const subject = subjectOf(executor);
    const isPermitted = await this.#isAllowed(subject, owned ? 'ApplyAndDelete' : 'ApplyNoDelete', target);
    if (!isPermitted) return refusal(target);
    const kind = guardedKind(target);
    if (!kind) return undefined;
    const scope = { namespace: target.namespace, manifest, ...(signal && { signal }) };
    const ask = async () => !(await escalates(this.#client, kind, subject, scope));
    const isGrantable = await this.#decide(subject, grantOf(target, manifest), ask, writes);
    return !isGrantable ? refusal(target, 'permission escalation') : undefined;
  }

  close(): void {
    for (const record of this.#watched.values()) record.cancelSecondReview?.();
    this.#watched.clear();
    this.#end();
    this.changes$.complete();
  }

  #wake({ subject, decisions }: Watched): void {
    decisions.forget();
    this.changes$.next(subject.key);
  }

  #invalidate(record: Watched): void {
    record.cancelSecondReview?.();
    record.cancelSecondReview = this.#clock.schedule(secondReviewMs, () => this.#wake(record));
    this.#wake(record);
  }

  #start(): RbacWatch {
    const watch = watchRbac(this.#informers);
    const stop = new AbortController();
    watch.changes.subscribe((subjects) => {
      for (const record of this.#watched.values()) if (isAmong(record.subject, subjects)) this.#invalidate(record);
    });
    // Rights may have been given between a first refusal and the first list.
    watch.whenCurrent(stop.signal).then(
      () => {
        for (const record of [...this.#watched.values()]) this.#wake(record);
      },
      () => {},
    );
    this.#rbac = { watch, stop, cancelSweep: this.#clock.schedule(sweepMs, () => this.#sweep()) };
    return watch;
  }

  #end(): void {
    this.#rbac?.cancelSweep();
    this.#rbac?.stop.abort();
    this.#rbac?.watch.close();
    this.#rbac = undefined;
  }

  #sweep(): void {
    const used = new Set(this.#inUse());
    for (const [key, record] of this.#watched) {
      record.decisions.expire();
      if (used.has(key)) continue;
      record.cancelSecondReview?.();
      this.#watched.delete(key);
    }
    if (this.#watched.size === 0) this.#end();
    else if (this.#rbac)
      this.#rbac = { ...this.#rbac, cancelSweep: this.#clock.schedule(sweepMs, () => this.#sweep()) };
  }

  #recordOf(subject: ExecutorSubject): Watched {
    const known = this.#watched.get(subject.key);
    if (known) return known;
    const record = { subject, decisions: new Decisions(this.#clock) };
    this.#watched.set(subject.key, record);
    return record;
  }

  #isAllowed(subject: ExecutorSubject, action: ExecutorAction, target: ExecutorTarget): Promise<boolean> {
    const ask = () => isAllowed(this.#client, subject, action, target);
    return this.#decide(subject, questionOf(action, target), ask);
  }

  #decide(
    subject: ExecutorSubject,
    question: string,
    ask: () => Promise<boolean>,
    isConfirmed = false,
  ): Promise<boolean> {
    const { decisions } = this.#recordOf(subject);
    const watch = this.#rbac?.watch ?? this.#start();
    if (!watch.isCurrent) return ask();
    return isConfirmed ? decisions.confirm(question, ask) : decisions.decide(question, ask);
  }
}

const questionOf = (action: string, { group, version, resource, namespace, name }: ExecutorTarget): string =>
  JSON.stringify([group, version, resource, namespace, name, action]);

/** Whether rights may be granted depends on which they are. */
const grantOf = (target: ExecutorTarget, manifest: KubeObject): string =>
  questionOf(`Grant ${createHash('sha256').update(stringifyJson(manifest)).digest('base64')}`, target);

/** In OCM's words. The time is that of the retry should no change of rights be seen; it usually is, and the retry comes at once. */
function refusal({ group, resource, namespace, name }: ExecutorTarget, error?: string): string {
  const what = `not allowed to apply the resource ${group} ${resource}, ${namespace} ${name}`;
  return `${what}${error === undefined ? '' : `, error: ${error}`}, will try again in 1m0s`;
}

/** Whether a binding is about an executor: by itself, as a user or as one of a group. */
function isAmong({ key, user, groups }: ExecutorSubject, subjects: readonly BoundSubject[]): boolean {
  return subjects.some(({ kind, namespace, name }) => {
    if (kind === 'ServiceAccount') return `${namespace}/${name}` === key;
    return kind === 'User' ? name === user : kind === 'Group' && groups.includes(name);
  });
}
