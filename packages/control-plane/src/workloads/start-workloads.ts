import { type Clock, createInformers, createKubeClient, type Logger, runControllers } from '@flotilla/kube';
import { nodes, pods } from '@flotilla/kube/kinds';
import type { ApiHandler } from '../contracts/exchange.ts';
import { inProcessTransport } from '../server/in-process-transport.ts';
import type { WorkloadContext } from './context.ts';
import { endpointsController } from './endpoints/endpoints.controller.ts';
import { createWorkloadEvents } from './events/workload-events.ts';
import { workloadControllers } from './workload-controllers.ts';

export interface WorkloadsOptions {
  readonly handler: ApiHandler;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Workloads {
  close(): Promise<void>;
}

const user = { name: 'system:kube-controller-manager', groups: ['system:masters', 'system:authenticated'] };

/** Runs the controllers of workloads and Services, for nodes that run pods; without a node pods stay pending. */
export function startWorkloads({ handler, clock, log }: WorkloadsOptions): Workloads {
  const transport = inProcessTransport(handler, user);
  const client = createKubeClient({ transport, clock, log, fieldManager: 'kube-controller-manager' });
  const informers = createInformers({ client, clock, log });
  const context: WorkloadContext = {
    client,
    informers,
    pods: informers.resource(pods),
    nodes: informers.resource(nodes),
    clock,
    log,
    events: createWorkloadEvents({ client, clock, log }),
  };
  const stop = new AbortController();
  const controllers = [...workloadControllers(context), endpointsController(context)];
  const finished = runControllers(controllers, { signal: stop.signal, clock, log });
  finished.catch((error) => log.error('the controllers of workloads ended', { error }));
  return {
    async close() {
      stop.abort();
      await finished.catch(() => undefined);
      await context.events.close();
      informers.close();
      await client.close();
    },
  };
}
