import type { ManifestWorkExecutor } from '@flotilla/api-types';
import type { Clock, Informers, KubeClient } from '@flotilla/kube';
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
export function createExecutor({ client, informers, clock, inUse }: ExecutorOptions): Executor {
  const watched = new Map<string, Watched>();
  const changes$ = new Subject<string>();
  let rbac: { readonly watch: RbacWatch; readonly stop: AbortController; readonly cancelSweep: () => void } | undefined;

  const wake = ({ subject, decisions }: Watched): void => {
    decisions.forget();
    changes$.next(subject.key);
  };

  const invalidate = (record: Watched): void => {
    record.cancelSecondReview?.();
    record.cancelSecondReview = clock.schedule(secondReviewMs, () => wake(record));
    wake(record);
  };

  const start = (): RbacWatch => {
    const watch = watchRbac(informers);
    const stop = new AbortController();
    watch.changes.subscribe((subjects) => {
      for (const record of watched.values()) if (isAmong(record.subject, subjects)) invalidate(record);
    });
    // Rights may have been given between a first refusal and the first list.
    watch.whenCurrent(stop.signal).then(
      () => [...watched.values()].forEach(wake),
      () => {},
    );
    rbac = { watch, stop, cancelSweep: clock.schedule(sweepMs, sweep) };
    return watch;
  };

  const end = (): void => {
    rbac?.cancelSweep();
    rbac?.stop.abort();
    rbac?.watch.close();
    rbac = undefined;
  };

  const sweep = (): void => {
    const used = new Set(inUse());
    for (const [key, record] of watched) {
      record.decisions.expire();
      if (used.has(key)) continue;
      record.cancelSecondReview?.();
      watched.delete(key);
    }
    if (watched.size === 0) end();
    else if (rbac) rbac = { ...rbac, cancelSweep: clock.schedule(sweepMs, sweep) };
  };

  const recordOf = (subject: ExecutorSubject): Watched => {
    const known = watched.get(subject.key);
    if (known) return known;
    const record = { subject, decisions: new Decisions(clock) };
    watched.set(subject.key, record);
    return record;
  };

  const decide = (subject: ExecutorSubject, action: ExecutorAction, target: ExecutorTarget): Promise<boolean> => {
    const { decisions } = recordOf(subject);
    const watch = rbac?.watch ?? start();
    const ask = () => isAllowed(client, subject, action, target);
    return watch.isCurrent ? decisions.decide(action, target, ask) : ask();
  };

  return {
    mayGet: async (executor, target) => decide(subjectOf(executor), 'Get', target),
    async check(executor, { manifest, owned, ...target }, signal) {
      const subject = subjectOf(executor);
      const isPermitted = await decide(subject, owned ? 'ApplyAndDelete' : 'ApplyNoDelete', target);
      if (!isPermitted) return refusal(target);
      const kind = guardedKind(target);
      if (!kind) return undefined;
      const { namespace } = target;
      const isEscalation = await escalates(client, kind, subject, { namespace, manifest, ...(signal && { signal }) });
      return isEscalation ? refusal(target, 'permission escalation') : undefined;
    },
    changes$,
    close() {
      for (const record of watched.values()) record.cancelSecondReview?.();
      watched.clear();
      end();
      changes$.complete();
    },
  };
}

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
