import { clusterManagerDefinitions } from '@flotilla/install/chart';
import { createInformers, runControllers } from '@flotilla/kube';
import { ownDefinitionController } from '../apply/index.ts';
import { clusterManagerController } from './cluster-manager.controller.ts';
import { createHubContext } from './hub-context.ts';
import type { HubOperatorDeps } from './settings.ts';

/** Keeps hubs as ClusterManagers describe them, until the signal aborts. */
export async function runHubOperator(deps: HubOperatorDeps, signal: AbortSignal): Promise<void> {
  const { client, clock, log, metrics } = deps;
  const common = { clock, log, ...(metrics && { metrics }) };
  using informers = createInformers({ client, ...common });
  const context = createHubContext(deps, informers);
  const definitions = (await clusterManagerDefinitions()).map((one) => ownDefinitionController(informers, one));
  try {
    await runControllers([clusterManagerController(context), ...definitions], { signal, ...common });
  } finally {
    await context.clusters.close();
  }
}
