import type { EpochMs } from '@flotilla/kube/clock';
import type { Pod } from '@flotilla/kube/kinds';
import { type ContainerSnapshot, isSidecar } from './container-state.ts';

/** How long a container that ends again and again waits. */
export interface CrashBackoff {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** Those of a kubelet. */
export const kubeletBackoff: CrashBackoff = { baseMs: 10_000, maxMs: 300_000 };

/** What to do with a container now. */
export type ContainerStep =
  | { readonly kind: 'start' }
  /** It is to be started at this time. */
  | { readonly kind: 'back-off'; readonly at: number; readonly ms: number }
  | { readonly kind: 'leave' };

export type RestartPolicy = 'Always' | 'OnFailure' | 'Never';

export const restartPolicyOf = ({ spec }: Pod): RestartPolicy =>
  spec?.restartPolicy === 'Never' || spec?.restartPolicy === 'OnFailure' ? spec.restartPolicy : 'Always';

/** Whether a container that ended is started again. Init containers are done when they ended well. */
export function isRestarted({ container, state }: ContainerSnapshot, policy: RestartPolicy, isInit: boolean): boolean {
  if (state.kind !== 'terminated') return false;
  if (isInit && isSidecar(container)) return true;
  if (state.exitCode === 0) return policy === 'Always' && !isInit;
  return policy !== 'Never';
}

/** The first restart is at once, later ones wait twice as long each. */
export function containerStep(
  snapshot: ContainerSnapshot,
  { policy, isInit, backoff, now }: { policy: RestartPolicy; isInit: boolean; backoff: CrashBackoff; now: EpochMs },
): ContainerStep {
  const { state, crashes } = snapshot;
  if (state.kind === 'running') return { kind: 'leave' };
  if (state.kind === 'waiting') return { kind: 'start' };
  if (!isRestarted(snapshot, policy, isInit)) return { kind: 'leave' };
  const ms = crashes === 0 ? 0 : Math.min(backoff.maxMs, backoff.baseMs * 2 ** (crashes - 1));
  const at = state.finishedAt + ms;
  return at <= now ? { kind: 'start' } : { kind: 'back-off', at, ms };
}

/** A container that ran this long starts with a clean record. */
export const isForgiven = (startedAt: EpochMs | undefined, finishedAt: EpochMs, { maxMs }: CrashBackoff): boolean =>
  startedAt !== undefined && finishedAt - startedAt >= 2 * maxMs;

/** How far the init containers are: the one to work on, whether all are done, or whether the pod has failed by one. */
export type InitProgress =
  | { readonly kind: 'at'; readonly index: number }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed' };

export function initProgress(init: readonly ContainerSnapshot[], policy: RestartPolicy): InitProgress {
  for (const [index, snapshot] of init.entries()) {
    const { state, container } = snapshot;
    if (isSidecar(container) ? hasStarted(snapshot) : state.kind === 'terminated' && state.exitCode === 0) continue;
    const hasFailed =
      state.kind === 'terminated' && state.exitCode !== 0 && policy === 'Never' && !isSidecar(container);
    return hasFailed ? { kind: 'failed' } : { kind: 'at', index };
  }
  return { kind: 'done' };
}

/** A sidecar that started once is not waited for again when it restarts. */
const hasStarted = ({ isStarted, restartCount, state }: ContainerSnapshot): boolean =>
  isStarted || restartCount > 0 || state.kind === 'terminated';
