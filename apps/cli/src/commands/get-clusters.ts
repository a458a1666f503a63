import type { GetClustersOptions } from '../actions/get-clusters.ts';
import { type AddCommand, allOptions, listOutputOption } from './command.ts';

export const addGetClusters: AddCommand = (get, context) => {
  get
    .command('clusters')
    .aliases(['cluster', 'managedclusters', 'managedcluster', 'mcl'])
    .summary('Display the clusters of a hub')
    .description('Display the clusters of a hub.')
    .argument('[names...]', 'only clusters of these names')
    .option('--clusterset <name>', 'only clusters of this set')
    .addOption(listOutputOption('tree'))
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla get clusters
  $ flotilla get clusters cluster1 cluster2 -o wide
  $ flotilla get clusters --clusterset default -o json
`,
    )
    .action(async (names: string[], _options, self) => {
      const { getClusters } = await import('../actions/get-clusters.ts');
      await getClusters(context, names, allOptions<GetClustersOptions>(self));
    });
};
