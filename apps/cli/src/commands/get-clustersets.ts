import type { GetClusterSetsOptions } from '../actions/get-clustersets.ts';
import { type AddCommand, allOptions, listOutputOption } from './command.ts';

export const addGetClusterSets: AddCommand = (get, context) => {
  get
    .command('clustersets')
    .aliases(['clusterset', 'managedclustersets', 'managedclusterset', 'mclset'])
    .summary('Display the cluster sets of a hub')
    .description(
      'Display the cluster sets of a hub: how many clusters they have, and the namespaces that they are bound to.',
    )
    .argument('[names...]', 'only sets of these names')
    .addOption(listOutputOption('tree'))
    .addHelpText('after', '\nExamples:\n  $ flotilla get clustersets\n  $ flotilla get clustersets prod -o yaml\n')
    .action(async (names: string[], _options, self) => {
      const { getClusterSets } = await import('../actions/get-clustersets.ts');
      await getClusterSets(context, names, allOptions<GetClusterSetsOptions>(self));
    });
};
