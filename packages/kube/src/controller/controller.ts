import type { Backoff } from '../clock/backoff.ts';
import { KubeError } from '../errors/kube-error.ts';
import type { Logger } from '../log/logger.ts';
import type { ObjectKey } from '../meta/keys.ts';
import type { Result } from './result.ts';
import type { Watch } from './watch.ts';

/** What a reconcile is given besides the key. */
export interface ReconcileContext {
  /** Aborts when the process must end or the deadline of the reconcile passed: pass it to calls that may take long. */
  readonly signal: AbortSignal;
  /** Carries the controller and the key. */
  readonly log: Logger;
  /** 1 for the first try, more after failures. */
  readonly attempt: number;
}

/** Keeps one aspect of the cluster in its desired state, one key at a time. */
export interface Controller {
  /** In logs and metrics; unique in a process. */
  readonly name: string;
  /** What wakes it. */
  readonly watches: readonly Watch[];
  /** Caches that it reads and that do not wake it: it does not start before they are synced either. */
  readonly reads?: readonly Pick<Watch, 'whenSynced'>[];
  /** The server may lack its kinds: it then waits for them as long as it takes, and the others run meanwhile. */
  readonly isOptional?: boolean;
  /** How many keys at a time; one key is never worked on twice at a time. Default 10. */
  readonly concurrency?: number;
  /** Waits after failures in a row of one key. Default: 100 ms doubling to 5 min. */
  readonly backoff?: Backoff;
  /**
   * Minimum time between reconciles of a key, for a controller whose key stands for many objects. The first change of a burst is reconciled at
   * once, and those that follow are coalesced. Default 0.
   */
  readonly batchPeriodMs?: number;
  /** After this long a reconcile is logged and its signal aborts. Default 2 min. */
  readonly deadlineMs?: number;
  /**
   * Brings the actual state to the desired one. Level-triggered: it gets a key and not an event, may be called at any time
   * and any number of times, and must come to the same end. Anything thrown means: again, with back-off.
   */
  reconcile(key: ObjectKey, context: ReconcileContext): Promise<Result> | Result;
}

/** Checks a controller where it is written, so that a mistake shows at start-up and with its name. */
export function defineController(controller: Controller): Controller {
  const { name, watches, concurrency = 1 } = controller;
  if (!name) throw new KubeError('Config', 'a controller has no name');
  if (watches.length === 0)
    throw new KubeError('Config', `controller "${name}" watches nothing, so nothing would wake it`);
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new KubeError(
      'Config',
      `concurrency of controller "${name}" is ${concurrency}: it must be a whole number from 1`,
    );
  }
  return controller;
}
