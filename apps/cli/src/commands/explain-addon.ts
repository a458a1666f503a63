import type { ExplainAddOnOptions } from '../actions/explain-addon.ts';
import { type AddCommand, allOptions, listOption, outputOption } from './command.ts';

export const addExplainAddOn: AddCommand = (explain, context) => {
  explain
    .command('addon')
    .summary('Explain why an add-on is not Available')
    .description(
      'Follow an add-on from what the hub offers to its health on a cluster: who installs it, which configurations it has and from where, the step of the rollout, its works, its health, and what it waits for.',
    )
    .argument('[name]', 'name of the add-on')
    .option('-c, --cluster <name>', 'one cluster', listOption)
    .option('--clusters <names>', 'clusters, separated by commas (default: all that have it)', listOption)
    .addOption(outputOption('text', 'json', 'yaml'))
    .addHelpText('after', '\nExamples:\n  $ flotilla explain addon hello --cluster cluster1\n')
    .action(async (name: string | undefined, _options, self) => {
      const { explainAddOns } = await import('../actions/explain-addon.ts');
      await explainAddOns(context, name, allOptions<ExplainAddOnOptions>(self));
    });
};
