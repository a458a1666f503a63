import type { ExplainWorkOptions } from '../actions/explain-work.ts';
import { type AddCommand, allOptions, listOption, outputOption } from './command.ts';

export const addExplainWork: AddCommand = (explain, context) => {
  explain
    .command('work')
    .summary('why is it not applied?')
    .description(
      'Follows a work from the hub over the agent to each object: which manifest is where, the last error, the next try, and who else writes the object. From the hub alone it tells what the agent reported; with access to the managed cluster it looks at the objects too. That of a fleet of `flotilla up` is found by itself.',
    )
    .argument('[name]', 'name of the work')
    .option('--clusters <names>', 'the clusters, separated by commas (default: all that have the work)', listOption)
    .option('-c, --cluster <name>', 'one cluster', listOption)
    .option('--managed-kubeconfig <file>', 'kubeconfig of the managed cluster')
    .option('--managed-context <name>', 'context of the managed cluster')
    .option('--data-dir <directory>', 'where the fleet of `flotilla up` is, if not in its usual place')
    .addOption(outputOption('text', 'json', 'yaml'))
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla explain work hello
  $ flotilla explain work hello -c cluster1 --managed-context kind-cluster1
`,
    )
    .action(async (name: string | undefined, _options, self) => {
      const { explainWorks } = await import('../actions/explain-work.ts');
      await explainWorks(context, name, allOptions<ExplainWorkOptions>(self));
    });
};
