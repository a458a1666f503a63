import { LeaderElectionComponent } from '@flotilla/api-types';
import { componentNamespace, connectKube, type ProcessHost, runElected, runProcess } from '@flotilla/process';
import { runHubOperator as run } from '../cluster-manager/index.ts';
import { hubOperatorOptions } from './hub-options.ts';
import type { OperatorProgram } from './run-operator-program.ts';

/** Runs the operator of hubs while this replica leads. */
export const runHubOperator = (host: ProcessHost, { name, version, drivers }: OperatorProgram): Promise<void> =>
  runProcess({
    name: `${name} hub`,
    prefix: 'flotilla',
    version,
    description:
      'Installs, upgrades and removes hubs as ClusterManagers describe them, on this cluster or for another one.',
    options: hubOperatorOptions,
    host,
    async main(context) {
      const { options, clock, log } = context;
      const namespace = await componentNamespace(options);
      const client = connectKube(context, { name: 'management', env: host.env, fieldManager: `${name}-hub` });
      context.authorizeMetricsWith(client);
      const agentImage = options.agentImage || host.env.AGENT_IMAGE;
      const settings = {
        namespace,
        hubImage: options.hubImage || `flotilla/hub:v${version}`,
        ...(agentImage && { agentImage }),
        drivers,
        syncLabels: options.enableSyncLabels,
        replicas: options.deploymentReplicas,
        nodeSelector: options.controlPlaneNodeLabelSelector,
        keepsDefinitions: options.skipRemoveCrds,
      };
      const metrics = context.kitMetrics('management');
      try {
        await runElected(context, {
          client,
          lease: `${namespace}/${LeaderElectionComponent.ClusterManager}-lock`,
          run: (signal) => run({ settings, client, clock, log, metrics }, signal),
        });
      } finally {
        await client.close();
      }
    },
  });
