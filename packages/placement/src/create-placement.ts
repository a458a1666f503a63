import { ReportingController } from '@flotilla/api-types';
import {
  type Clock,
  type Controller,
  createEventRecorder,
  type Informers,
  type KubeClient,
  type Logger,
} from '@flotilla/kube';
import { events } from '@flotilla/kube/kinds';
import type { PlacementEngine } from './engine/engine.ts';
import type { SchedulerGates } from './engine/schedule-entry.ts';
import { placementCaches } from './scheduling/fleet-watch.ts';
import { schedulingController } from './scheduling/scheduling.controller.ts';
import type { SchedulingMetrics } from './scheduling/scheduling.metrics.ts';

/** What placement is made of. */
export interface PlacementInput {
  readonly client: KubeClient;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly log: Logger;
  readonly gates?: SchedulerGates;
  readonly metrics?: SchedulingMetrics;
}

/** The hub's placement: give its controllers to `runControllers`. */
export interface PlacementScheduler {
  readonly controllers: readonly Controller[];
  /** Knows the fleet while the controllers run; explains how a placement is scheduled. */
  readonly engine: PlacementEngine;
  /** Sends the last Events; call it when the controllers have ended. */
  close(): Promise<void>;
}

/** Makes the hub's placement controllers. */
export function createPlacement({ client, informers, clock, log, gates, metrics }: PlacementInput): PlacementScheduler {
  const recorder = createEventRecorder({
    events: client.resource(events),
    reportingController: ReportingController.Placement,
    clock,
    log,
  });
  const { controller, engine } = schedulingController({
    caches: placementCaches(informers),
    clock,
    recorder,
    gates,
    metrics,
  });
  return { controllers: [controller], engine, close: () => recorder.close() };
}
