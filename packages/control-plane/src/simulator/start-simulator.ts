import {
  type Clock,
  createEventRecorder,
  createInformers,
  createKubeClient,
  type Logger,
  runControllers,
} from '@flotilla/kube';
import { events, nodes, pods } from '@flotilla/kube/kinds';
import type { ApiHandler } from '../contracts/exchange.ts';
import { inProcessTransport } from '../server/in-process-transport.ts';
import { createWorkloadEvents } from '../workloads/events/workload-events.ts';
import { workloadControllers } from '../workloads/index.ts';
import type { SimulatedLatency, SimulatorContext } from './context.ts';
import { nodeController } from './nodes/node.controller.ts';
import type { SimulatedNode } from './nodes/node.status.ts';
import { kubeletController } from './pods/kubelet.controller.ts';
import { schedulerController } from './pods/scheduler.controller.ts';

export interface SimulatorOptions {
  readonly handler: ApiHandler;
  readonly clock: Clock;
  readonly log: Logger;
  /** How many nodes, or which. Default 1. */
  readonly nodes?: number | readonly SimulatedNode[];
  /** Default: pods start and stop within a second, and those of jobs run for one. */
  readonly latency?: Partial<SimulatedLatency>;
}

export interface Simulator {
  close(): Promise<void>;
  /** Rejects if it cannot go on. */
  readonly finished: Promise<void>;
}

const user = { name: 'system:simulator', groups: ['system:masters', 'system:authenticated'] };
const defaultLatency: SimulatedLatency = { startMs: 1000, stopMs: 1000, jobMs: 1000 };

/** Pretends to run workloads: nothing is executed, but every status is written as if it were. */
export function startSimulator(options: SimulatorOptions): Simulator {
  const { handler, clock, log, latency } = options;
  const simulated = simulatedNodes(options.nodes ?? 1);
  const client = createKubeClient({
    transport: inProcessTransport(handler, user),
    clock,
    log,
    fieldManager: 'simulator',
  });
  const informers = createInformers({ client, clock, log });
  const context: SimulatorContext = {
    client,
    informers,
    pods: informers.resource(pods),
    nodes: informers.resource(nodes),
    clock,
    log,
    latency: { ...defaultLatency, ...latency },
    events: createWorkloadEvents({ client, clock, log }),
  };
  const schedulerEvents = createEventRecorder({
    events: client.resource(events),
    reportingController: 'default-scheduler',
    reportingInstance: 'default-scheduler-simulator',
    clock,
    log,
  });
  const controllers = [
    nodeController(context, simulated),
    schedulerController(context, schedulerEvents),
    kubeletController(
      context,
      simulated.map(({ name }) => name),
    ),
    ...workloadControllers(context),
  ];
  const stop = new AbortController();
  const finished = runControllers(controllers, { signal: stop.signal, clock, log });
  finished.catch((error) => log.error('the simulator ended', { error }));
  return {
    finished,
    async close() {
      stop.abort();
      await finished;
      await Promise.all([context.events.close(), schedulerEvents.close()]);
      informers.close();
      await client.close();
    },
  };
}

const simulatedNodes = (wanted: number | readonly SimulatedNode[]): readonly SimulatedNode[] =>
  typeof wanted === 'number'
    ? Array.from({ length: wanted }, (_, index) => ({
        name: `node-${index + 1}`,
        cpu: '8',
        memory: '32Gi',
        pods: '110',
      }))
    : wanted;
