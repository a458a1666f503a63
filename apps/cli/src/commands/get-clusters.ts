import type { GetClustersOptions } from '../actions/get-clusters.ts';
import { type AddCommand, allOptions, outputOption } from './command.ts';

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
    .action(async (_options, self) => {
      const { getClusters } = await import('../actions/get-clusters.ts');
      await getClusters(context, allOptions<GetClustersOptions>(self));
    });
};
