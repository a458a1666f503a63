import { ControllerName, placements } from '@flotilla/api-types';
import { type Clock, type Controller, defineController, done, type Informers, type KubeClient } from '@flotilla/kube';
import { PlacementEngine } from '../engine/engine.ts';
import type { SchedulerGates } from '../engine/schedule-entry.ts';
import { DecisionStore } from '../scheduling/decision-store.ts';
import { fleetWatch, placementCaches } from '../scheduling/fleet-watch.ts';
import { answerDebugRequest, type DebugRequest } from './debug-request.ts';
import type { PlacementDebugResult } from './debug-result.ts';

/** What the debugging of placements is made of. */
export interface PlacementDebugInput {
  readonly client: Pick<KubeClient, 'resource'>;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly gates?: SchedulerGates;
}

/** Explains placements, without writing: any number of replicas may run it. */
export interface PlacementDebug {
  /** Follow the fleet. Give them to `runControllers`. */
  readonly controllers: readonly Controller[];
  answer(request: DebugRequest): Promise<PlacementDebugResult>;
}

/** Makes the debugging of placements. */
export function createPlacementDebug({ client, informers, clock, gates }: PlacementDebugInput): PlacementDebug {
  const engine = new PlacementEngine({ now: clock.now(), clock, gates, onDirty: () => {} });
  const caches = placementCaches(informers);
  const watch = fleetWatch(caches, engine, new DecisionStore(engine), () => {});
  const stored = informers.resource(placements);
  return {
    // It only follows: nothing is to be done about a placement.
    controllers: [
      defineController({
        name: ControllerName.PlacementDebug,
        isOptional: true,
        watches: [watch],
        reconcile: () => done,
      }),
    ],
    async answer(request) {
      await watch.whenSynced({});
      engine.advance(clock.now());
      return answerDebugRequest({ client, engine, find: (key) => stored.get(key) }, request);
    },
  };
}
