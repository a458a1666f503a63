import type { ExplainWorkOptions } from '../actions/explain-work.ts';
import { type AddCommand, allOptions, listOption, outputOption } from './command.ts';

export const addExplainWork: AddCommand = (explain, context) => {
  explain
    .command('work')
    .summary('Explain why a work is not applied')
    .description(
      'Follow a work from the hub over the agent to each object: where each manifest is, the last error, the next try, and who else writes the object. With the hub alone it prints what the agent reported; with access to the managed cluster it reads the objects too. For the hub of a `flotilla up` that runs, that access is found by itself.',
    )
    .argument('[name]', 'name of the work')
    .option('--clusters <names>', 'clusters, separated by commas (default: all that have the work)', listOption)
    .option('-c, --cluster <name>', 'one cluster', listOption)
    .option('--managed-kubeconfig <file>', 'kubeconfig of the managed cluster')
    .option('--managed-context <name>', 'context of the managed cluster')
    .option('--data-dir <directory>', 'directory of the `flotilla up` fleet, if it is not found')
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
