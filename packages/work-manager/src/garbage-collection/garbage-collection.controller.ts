import { ControllerName, manifestWorks } from '@flotilla/api-types';
import {
  after,
  type Clock,
  type Controller,
  defineController,
  done,
  type Informers,
  KubeError,
  on,
} from '@flotilla/kube';
import { completionOf, judgeCompletion } from './garbage-collection.policy.ts';

/** What it works with. */
export interface GarbageCollectionInput {
  readonly informers: Informers;
  readonly clock: Clock;
}

/** Deletes completed works when their time to live is over, by a timer for that very moment. */
export function garbageCollectionController({ informers, clock }: GarbageCollectionInput): Controller {
  const works = informers.resource(manifestWorks, { strip: completionOf });
  return defineController({
    name: ControllerName.ManifestWorkGarbageCollection,
    watches: [on(works)],
    async reconcile(key, { log }) {
      const work = works.get(key);
      const verdict = work && judgeCompletion(work, clock.now());
      if (!verdict || verdict.kind === 'keep') return done;
      if (verdict.kind === 'wait') return after(verdict.ms, 'the time to live of the completed work ends');
      const { uid, resourceVersion } = work.metadata ?? {};
      try {
        await works.delete(key, { preconditions: { uid, resourceVersion } });
      } catch (error) {
        // It was changed meanwhile, perhaps to live longer: that change wakes this controller.
        if (KubeError.is(error, 'Conflict')) return done;
        throw error;
      }
      log.info('a completed work has outlived its time', { work: key });
      return done;
    },
  });
}
