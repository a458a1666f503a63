import { Label, managedClusterSets, managedClusters } from '@flotilla/api-types';
import { connect } from '../connect.ts';
import { CliError } from '../errors.ts';
import { requireHub } from '../hub/accept.ts';
import { clusterTable } from '../hub/cluster-rows.ts';
import { formatManifests, formatValue } from '../output/format.ts';
import { type AddCommand, allOptions, outputOption } from './command.ts';

interface GetClustersOptions {
  readonly clusterset?: string;
  readonly output: string;
}

export const addGetClusters: AddCommand = (get, context) => {
  get
    .command('clusters')
    .description('The clusters of a hub, by name.')
    .option('--clusterset <name>', 'only those of this set')
    .addOption(outputOption('table', 'wide', 'name', 'json', 'yaml'))
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla get clusters
  $ flotilla get clusters -o wide                     # with what each waits for
  $ flotilla get clusters --clusterset default -o json
`,
    )
    .action(async (_options, command) => {
      const { clusterset, output, ...options } = allOptions<GetClustersOptions>(command);
      await using hub = await connect(context, options);
      await requireHub(hub.client);
      if (clusterset && !(await hub.client.resource(managedClusterSets).find(clusterset))) {
        throw new CliError(
          'failed',
          `there is no cluster set ${clusterset}`,
          'See them with `kubectl get managedclustersets`.',
        );
      }
      const { items } = await hub.client
        .resource(managedClusters)
        .list(clusterset ? { labelSelector: `${Label.ClusterSet}=${clusterset}` } : {});
      const { apiVersion, kind } = {
        apiVersion: `${managedClusters.group}/${managedClusters.version}`,
        kind: managedClusters.kind,
      };
      const objects = items.map((item) => ({ apiVersion, kind, ...item }));
      if (output === 'json') context.out.write(formatValue({ apiVersion: 'v1', kind: 'List', items: objects }, 'json'));
      else if (output === 'yaml') context.out.write(formatManifests(objects));
      else if (output === 'name') context.out.write(objects.map(({ metadata }) => `${metadata?.name}\n`).join(''));
      else context.out.write(clusterTable(items, output === 'wide', context.clock.now()));
    });
};
