import type { GetResourcesOptions } from '../actions/get-resources.ts';
import { type AddCommand, allOptions, listOption, listOutputOption } from './command.ts';
import { suggestionFor } from './suggestion.ts';

/** What is none of the commands below `get` is a kind of objects on clusters. */
export const addGetResources: AddCommand = (get, context) => {
  get
    .command('resources', { isDefault: true, hidden: true })
    .usage('[type] [names...] [options]')
    .description(
      'Display objects of several clusters, asked through the hub at the same time. Says which clusters failed and why, and ends with 1 then.',
    )
    .argument('[type]', 'kind of objects on clusters, as kubectl names it: pods, deploy, certificates.cert-manager.io')
    .argument('[names...]', 'only objects of these names')
    .option('--clusters <names>', 'clusters to ask', listOption)
    .option('--all-clusters', 'ask all clusters that the hub has accepted')
    .option('-n, --namespace <name>', 'namespace on the clusters', 'default')
    .option('-A, --all-namespaces', 'all namespaces of the clusters')
    .option('-l, --selector <labels>', 'only objects with these labels')
    .addOption(listOutputOption())
    .addHelpText(
      'after',
      '\nExamples:\n  $ flotilla get pods --clusters cluster1,cluster2 --all-namespaces\n  $ flotilla get deploy --all-clusters -n web -o wide\n',
    )
    .action(async (type: string | undefined, names: string[], _options, self) => {
      if (type === undefined) return get.help();
      const { getResources } = await import('../actions/get-resources.ts');
      const suggestion = suggestionFor(type, get);
      const options = allOptions<GetResourcesOptions>(self);
      await getResources(context, type, names, { ...options, ...(suggestion !== undefined && { suggestion }) });
    });
};
