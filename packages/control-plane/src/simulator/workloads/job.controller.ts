import { type Controller, defineController, done, on } from '@flotilla/kube';
import { type Job, jobs, type Pod } from '@flotilla/kube/kinds';
import { formatTime, semanticEqual } from '@flotilla/kube/meta';
import type { SimulatorContext } from '../context.ts';
import { isActive, isReady } from '../pods/pod.status.ts';
import { nonZero, ownerKey, podControl, podFrom, podsOf } from './owned-pods.ts';

/** Runs the pods of jobs until enough of them ended well. */
export function jobController({ informers, pods, clock, events }: SimulatorContext): Controller {
  const report = events.from('job-controller');
  const all = informers.resource(jobs);
  return defineController({
    name: 'simulated-jobs',
    watches: [on(all), on(pods, ownerKey('Job'))],
    async reconcile(key) {
      const job = all.get(key);
      if (!job || job.metadata?.deletionTimestamp || isFinished(job)) return done;
      const owned = () => podsOf(pods, job);
      const control = podControl(pods, jobs, job, report);
      if (!job.spec?.suspend) {
        for (let missing = missingPods(job, owned()); missing > 0; missing--) {
          await control.create(podFrom(jobs, job, job.spec?.template ?? {}));
        }
      }
      const status = jobStatus(job, owned(), clock.now());
      if (!semanticEqual(status, job.status)) {
        const changed = await all.status.replace({ ...job, status });
        if (isFinished(changed)) report(jobs, changed, { reason: 'Completed', message: 'Job completed' });
      }
      return done;
    },
  });
}

const isFinished = ({ status }: Job): boolean =>
  status?.conditions?.some(({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True') ??
  false;

const succeeded = (pods: readonly Pod[]): number => pods.filter(({ status }) => status?.phase === 'Succeeded').length;

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
  const condition = (type: string) => ({
    type,
    status: 'True',
    reason: 'CompletionsReached',
    message: 'Reached expected number of succeeded pods',
    lastProbeTime: time,
    lastTransitionTime: time,
  });
  return {
    ...nonZero({ active: active.length, succeeded: done }),
    ready: active.filter(isReady).length,
    terminating: owned.filter(({ metadata }) => metadata?.deletionTimestamp !== undefined).length,
    uncountedTerminatedPods: {},
    ...(job.spec?.suspend ? {} : { startTime: before.startTime ?? time }),
    ...(isComplete && {
      completionTime: time,
      conditions: [condition('SuccessCriteriaMet'), condition('Complete')],
    }),
  };
}
