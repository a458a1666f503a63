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

/** The flags of `flotilla-hub addon-manager`: OCM's. */
const addonManagerOptions = defineOptions({
  ...kubeOptions,
  ...leaderElectionOptions,
  terminateOnFiles,
  featureGates: featureGatesOption(featureGateChoices('hub-addon')),
});

/** Runs the controllers of add-ons alone while this replica leads, as OCM deploys them. */
export const runAddonManager = (host: ProcessHost, { name, version }: HubProgram): Promise<void> =>
  runProcess({
    name: `${name} addon-manager`,
    prefix: 'flotilla',
    version,
    description:
      'Installs add-ons on the clusters of placements, rolls their configurations out, and says how far they are.',
    options: addonManagerOptions,
    host,
    async main(context) {
      const { options, clock, log } = context;
      const namespace = options.disableLeaderElection ? '' : await componentNamespace(options);
      const client = connectKube(context, { name: 'hub', env: host.env, fieldManager: name });
      context.authorizeMetricsWith(client);
      const metrics = context.kitMetrics('hub');
      const gates = options.featureGates;
      const lease = `${namespace}/${LeaderElectionComponent.AddOnManager}-lock`;
      const run = (signal: AbortSignal) =>
        runHub({
          ...{ client, drivers: [], components: ['addon'], gates, signal, clock, log, metrics },
          ...(namespace && { namespace }),
        });
      try {
        await runElected(context, { client, lease, run });
      } finally {
        await client.close();
      }
    },
  });
