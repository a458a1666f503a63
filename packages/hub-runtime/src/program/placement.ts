import { featureGateChoices, LeaderElectionComponent } from '@flotilla/api-types';
import {
  componentNamespace,
  connectKube,
  defineOptions,
  featureGatesOption,
  kubeOptions,
  leaderElectionOptions,
  type ProcessHost,
  runElected,
  runProcess,
} from '@flotilla/process';
import { runHub } from '../run-hub.ts';
import type { HubProgram } from './hub-program.ts';
import { terminateOnFiles } from './options.ts';
import { placementGatesOf, placementGatesOption } from './placement-gates.ts';
import { schedulingMetricsFor } from './scheduling-metrics.ts';

/** The flags of `flotilla-hub placement`: OCM's. */
const placementOptions = defineOptions({
  ...kubeOptions,
  ...leaderElectionOptions,
  placementGates: placementGatesOption,
  terminateOnFiles,
  featureGates: featureGatesOption(featureGateChoices('hub-placement')),
});

/** Runs the placement controllers alone while this replica leads, as OCM deploys them. */
export const runPlacement = (host: ProcessHost, { name, version }: HubProgram): Promise<void> =>
  runProcess({
    name: `${name} placement`,
    prefix: 'flotilla',
    version,
    description: 'Selects clusters for placements, and keeps the selection right as the fleet changes.',
    options: placementOptions,
    host,
    async main(context) {
      const { options, clock, log } = context;
      const namespace = options.disableLeaderElection ? '' : await componentNamespace(options);
      const client = connectKube(context, { name: 'hub', env: host.env, fieldManager: name });
      context.authorizeMetricsWith(client);
      const metrics = context.kitMetrics('hub');
      const placementGates = placementGatesOf(options.placementGates);
      const schedulingMetrics = schedulingMetricsFor(context.metrics);
      try {
        await runElected(context, {
          client,
          lease: `${namespace}/${LeaderElectionComponent.Placement}-lock`,
          run: (signal) =>
            runHub({
              client,
              drivers: [],
              components: ['placement'],
              placementGates,
              signal,
              clock,
              log,
              metrics,
              schedulingMetrics,
            }),
        });
      } finally {
        await client.close();
      }
    },
  });
