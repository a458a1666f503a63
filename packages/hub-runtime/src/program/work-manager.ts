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
import { cloudEventsFlags } from './absent-flags.ts';
import type { HubProgram } from './hub-program.ts';
import { terminateOnFiles, workDriver } from './options.ts';

/** The flags of `flotilla-hub work-manager`: OCM's. */
const workManagerOptions = defineOptions({
  ...cloudEventsFlags,
  ...kubeOptions,
  ...leaderElectionOptions,
  workDriver,
  terminateOnFiles,
  featureGates: featureGatesOption(featureGateChoices('hub-work')),
});

/** Runs the controllers of works alone while this replica leads, as OCM deploys them. */
export const runWorkManager = (host: ProcessHost, { name, version }: HubProgram): Promise<void> =>
  runProcess({
    name: `${name} work-manager`,
    prefix: 'flotilla',
    version,
    description: 'Rolls ManifestWorkReplicaSets out over the clusters of placements, and collects completed works.',
    options: workManagerOptions,
    host,
    async main(context) {
      const { options, clock, log } = context;
      const namespace = options.disableLeaderElection ? '' : await componentNamespace(options);
      const client = connectKube(context, { name: 'hub', env: host.env, fieldManager: name });
      context.authorizeMetricsWith(client);
      const metrics = context.kitMetrics('hub');
      const gates = options.featureGates;
      const lease = `${namespace}/${LeaderElectionComponent.WorkManager}-lock`;
      const run = (signal: AbortSignal) =>
        runHub({ client, drivers: [], components: ['work'], gates, signal, clock, log, metrics });
      try {
        await runElected(context, { client, lease, run });
      } finally {
        await client.close();
      }
    },
  });
