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
import { completionOf, decideOnCompletion } from './garbage-collection.policy.ts';

/** What it works with. */
export interface GarbageCollectionInput {
  readonly informers: Informers;
  readonly clock: Clock;
}

/** Deletes completed works when their time to live is over, by a timer for that very moment. */
export function garbageCollectionController({ informers, clock }: GarbageCollectionInput): Controller {
  const works = informers.resource(manifestWorks, { transform: completionOf });
  return defineController({
    name: ControllerName.ManifestWorkGarbageCollection,
    isOptional: true,
    watches: [on(works)],
    async reconcile(key, { log }) {
      const work = works.get(key);
      const decision = work && decideOnCompletion(work, clock.now());
      if (!decision || decision.kind === 'keep') return done;
      if (decision.kind === 'wait') return after(decision.ms, 'the time to live of the completed work ends');
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
