import { ControllerName } from '@flotilla/api-types';
import {
  after,
  type Clock,
  type Controller,
  defineController,
  done,
  type EventRecorder,
  isAbsence,
  isDeleting,
  type Watch,
} from '@flotilla/kube';
import { msBetween, watchClockSteps } from '@flotilla/kube/clock';
import { semanticEqual } from '@flotilla/kube/meta';
import { PlacementEngine } from '../engine/engine.ts';
import type { SchedulerGates } from '../engine/schedule-entry.ts';
import { differenceOf, pageChanges } from './decision-difference.ts';
import { DecisionStore } from './decision-store.ts';
import { decisionWriter } from './decision-writer.ts';
import { fleetWatch, type PlacementCaches, type Wake } from './fleet-watch.ts';
import { mostScores } from './scheduling.events.ts';
import { noSchedulingMetrics, type SchedulingMetrics } from './scheduling.metrics.ts';
import { isSchedulingDisabled, wantedDecisions } from './scheduling.policy.ts';
import { placementStatus } from './scheduling.status.ts';

/**
 * A placement is scheduled at once after a change of the fleet, and then not again for this long: ten thousand scores that change
 * in a minute are as many reasons to schedule it. What a user changes of it does not wait.
 */
const gatherMs = 100;

/** What scheduling works with. */
export interface SchedulingInput {
  readonly caches: PlacementCaches;
  readonly clock: Clock;
  readonly recorder: EventRecorder;
  readonly gates?: SchedulerGates;
  readonly metrics?: SchedulingMetrics;
}

/** The controller, and the engine that it keeps informed, for those who ask how a placement is scheduled. */
export interface Scheduling {
  readonly controller: Controller;
  readonly engine: PlacementEngine;
}

/** Selects clusters for placements, and writes what changed of their decisions. */
export function schedulingController({ caches, clock, recorder, gates, ...input }: SchedulingInput): Scheduling {
  const { metrics = noSchedulingMetrics } = input;
  let wake: Wake = () => {};
  const engine = new PlacementEngine({ now: clock.now(), clock, gates, onDirty: (key) => wake(key, 'backlog') });
  const store = new DecisionStore(engine);
  const write = decisionWriter(caches.decisions, store, recorder, (ids) => engine.namesOf(ids));
  const { placements } = caches;

  const controller = defineController({
    name: ControllerName.Scheduling,
    isOptional: true,
    watches: [
      fleetWatch(caches, engine, store, (given) => {
        wake = given;
      }),
      clockWatch(clock, placements),
    ],
    async reconcile(key) {
      const placement = placements.get(key);
      if (!placement || isDeleting(placement) || isSchedulingDisabled(placement)) return done;
      const started = clock.monotonic();
      engine.advance(clock.now());
      const since = engine.outdatedSince(key);
      const rest = since === undefined ? 0 : gatherMs - msBetween(since, started);
      if (rest > 0) return after(rest, 'changes of the fleet are gathered');
      const result = engine.schedule(key, started);
      if (!result) return done;
      const { pages, groups } = wantedDecisions(placement, result, store, (id) => engine.isCandidate(key, id));
      const difference = differenceOf(store, placement, pages);
      const changesClusters = difference.pages.some((page) => page.changesClusters);
      const totals = changesClusters ? engine.totalsOf(key, mostScores) : [];
      // Other placements count these decisions from now on, not only when the server has them.
      if (changesClusters || difference.redundant.length > 0) {
        engine.decisions.assume(key, pageChanges(placement, difference));
      }
      const bindStarted = clock.monotonic();
      metrics.scheduled((bindStarted - started) / 1000);
      try {
        await write({ placement, difference, status: result.status, totals });
        const status = placementStatus(placement, result, groups, clock.now());
        if (!semanticEqual(placement.status, status)) {
          const { uid, resourceVersion } = placement.metadata ?? {};
          const body = { metadata: { uid, resourceVersion }, status };
          await placements.status.patch(key, { type: 'merge', body });
        }
      } catch (error) {
        // The placement was deleted during the sync, and its decisions with it.
        if (isAbsence(error) && !(await placements.find(key))) return done;
        throw error;
      } finally {
        engine.decisions.release(key);
        metrics.bound((clock.monotonic() - bindStarted) / 1000);
      }
      if (result.recheckAt === undefined) return done;
      return after(Math.max(0, result.recheckAt - clock.now()), 'a toleration or a score ends');
    },
  });
  return { controller, engine };
}

/** Tolerations and scores end by the wall clock: once it was set, placements wait for the wrong moment. */
const clockWatch = (clock: Clock, placements: PlacementCaches['placements']): Watch => ({
  subscribe(wake) {
    const end = new AbortController();
    watchClockSteps(clock, end.signal, () => {
      for (const key of placements.keys()) wake(key, 'backlog');
    });
    return { unsubscribe: () => end.abort() };
  },
  whenSynced: async () => {},
});
