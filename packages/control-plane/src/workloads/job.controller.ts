import { after, type Controller, defineController, done, on } from '@flotilla/kube';
import { type Job, jobs, type Pod } from '@flotilla/kube/kinds';
import { formatTime, parseTime, semanticEqual } from '@flotilla/kube/meta';
import type { WorkloadContext } from './context.ts';
import { nonZero, ownerKey, podControl, podFrom, podsOf } from './owned-pods.ts';
import { isActive, isReady } from './pod-state.ts';

/** Runs the pods of jobs until enough of them ended well. */
export function jobController({ informers, pods, clock, events }: WorkloadContext): Controller {
  const report = events.from('job-controller');
  const all = informers.resource(jobs);
  return defineController({
    name: 'jobs',
    watches: [on(all), on(pods, ownerKey('Job'))],
    async reconcile(key) {
      const job = all.get(key);
      if (!job || job.metadata?.deletionTimestamp || isFinished(job)) return done;
      const owned = () => podsOf(pods, job);
      const control = podControl(pods, jobs, job, report);
      const waitMs = backoffMs(owned(), clock.now());
      if (!job.spec?.suspend && !isExhausted(job, owned()) && waitMs === 0) {
        for (let missing = missingPods(job, owned()); missing > 0; missing--) {
          await control.create(podFrom(jobs, job, job.spec?.template ?? {}));
        }
      }
      const status = jobStatus(job, owned(), clock.now());
      if (!semanticEqual(status, job.status)) {
        const changed = await all.status.replace({ ...job, status });
        if (isFinished(changed)) report(jobs, changed, finishEvent(changed));
      }
      return waitMs > 0 ? after(waitMs, 'the next pod of the job is made then') : done;
    },
  });
}

const isFinished = ({ status }: Job): boolean =>
  status?.conditions?.some(({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True') ??
  false;

const succeeded = (pods: readonly Pod[]): number => pods.filter(({ status }) => status?.phase === 'Succeeded').length;

const failed = (pods: readonly Pod[]): Pod[] => pods.filter(({ status }) => status?.phase === 'Failed');

/** More pods failed than the job allows. */
const isExhausted = ({ spec }: Job, owned: readonly Pod[]): boolean => failed(owned).length > (spec?.backoffLimit ?? 6);

const firstBackoffMs = 10_000;
const lastBackoffMs = 600_000;

/** How long the next pod waits after pods failed: twice as long each time. */
function backoffMs(owned: readonly Pod[], now: number): number {
  const failures = failed(owned);
  if (failures.length === 0) return 0;
  const ends = failures.flatMap(({ status }) =>
    (status?.containerStatuses ?? []).map(({ state }) => state?.terminated?.finishedAt),
  );
  const last = Math.max(0, ...ends.map((time) => parseTime(time) ?? 0));
  const wait = Math.min(lastBackoffMs, firstBackoffMs * 2 ** (failures.length - 1));
  return Math.max(0, last + wait - now);
}

const finishEvent = ({ status }: Job): { reason: string; message: string } =>
  status?.conditions?.some(({ type }) => type === 'Failed')
    ? { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' }
    : { reason: 'Completed', message: 'Job completed' };

/** No more at a time than may run beside each other, and no more in all than are needed. */
function missingPods({ spec }: Job, owned: readonly Pod[]): number {
  const active = owned.filter(isActive).length;
  const { parallelism = 1, completions } = spec ?? {};
  // Without a number of completions, the first pod that ends well decides.
  const needed = completions ?? (succeeded(owned) > 0 ? 0 : parallelism + succeeded(owned));
  return Math.min(parallelism, needed - succeeded(owned)) - active;
}

function jobStatus(job: Job, owned: readonly Pod[], now: number): NonNullable<Job['status']> {
  const time = formatTime(now);
  const before = job.status ?? {};
  const active = owned.filter(isActive);
  const done = succeeded(owned);
  const { completions } = job.spec ?? {};
  const isComplete = active.length === 0 && done > 0 && done >= (completions ?? 1);
  const hasFailed = !isComplete && active.length === 0 && isExhausted(job, owned);
  const why = hasFailed
    ? { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' }
    : { reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
  const condition = (type: string) => ({
    type,
    status: 'True',
    ...why,
    lastProbeTime: time,
    lastTransitionTime: time,
  });
  return {
    ...nonZero({ active: active.length, succeeded: done, failed: failed(owned).length }),
    ready: active.filter(isReady).length,
    terminating: owned.filter(({ metadata }) => metadata?.deletionTimestamp !== undefined).length,
    uncountedTerminatedPods: {},
    ...(job.spec?.suspend ? {} : { startTime: before.startTime ?? time }),
    ...(isComplete && {
      completionTime: time,
      conditions: [condition('SuccessCriteriaMet'), condition('Complete')],
    }),
    ...(hasFailed && { conditions: [condition('FailureTarget'), condition('Failed')] }),
  };
}
