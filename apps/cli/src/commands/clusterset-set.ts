import type { ClusterSetSetOptions } from '../actions/clusterset-set.ts';
import { type AddCommand, allOptions, changeOutputOption, dryRunOption, listOption } from './command.ts';

export const addClusterSetSet: AddCommand = (clusterset, context) => {
  clusterset
    .command('set')
    .summary('Move clusters to a set')
    .description('Move clusters to a set; and add namespaces that the set makes on its clusters.')
    .argument('[name...]', 'name of the set')
    .option('--clusters <names>', 'clusters, separated by commas', listOption)
    .option('--namespaces <names>', 'managed namespaces, separated by commas', listOption)
    .addOption(dryRunOption())
    .addOption(changeOutputOption())
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla clusterset set prod --clusters cluster1,cluster2
  $ flotilla clusterset set prod --namespaces shop
`,
    )
    .action(async (names: string[], _options, self) => {
      const { setClusterSet } = await import('../actions/clusterset-set.ts');
      await setClusterSet(context, names, allOptions<ClusterSetSetOptions>(self));
    });
};
