import type { Controller } from '@flotilla/kube';
import { autoscalerController } from './autoscaler.controller.ts';
import type { WorkloadContext } from './context.ts';
import { daemonSetController } from './daemon-set.controller.ts';
import { deploymentController } from './deployment.controller.ts';
import { disruptionBudgetController } from './disruption-budget.controller.ts';
import { jobController } from './job.controller.ts';
import { indexByOwner } from './owned-pods.ts';
import { replicaSetController, replicationControllerController } from './replica-set.controller.ts';
import { statefulSetController } from './stateful-set.controller.ts';

/** The controllers that turn workloads into pods. */
export function workloadControllers(context: WorkloadContext): Controller[] {
  indexByOwner(context.pods);
  return [
    replicaSetController(context),
    replicationControllerController(context),
    deploymentController(context),
    statefulSetController(context),
    daemonSetController(context),
    jobController(context),
    disruptionBudgetController(context),
    autoscalerController(context),
  ];
}
