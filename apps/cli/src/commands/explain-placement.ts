import type { ExplainPlacementOptions } from '../actions/explain-placement.ts';
import { type AddCommand, allOptions, listOption, outputOption } from './command.ts';

export const addExplainPlacement: AddCommand = (explain, context) => {
  explain
    .command('placement')
    .summary('Explain which clusters a placement selects')
    .description(
      'Explain what a placement makes of each cluster: whether it is selected, each score, and otherwise what said no. It reads the fleet with your rights and schedules as the hub does, also where the hub is one of Open Cluster Management.',
    )
    .argument('[name]', 'name of the placement')
    .option('-n, --namespace <name>', 'namespace of the placement', 'default')
    .option('--clusters <names>', 'only these clusters', listOption)
    .addOption(outputOption('text', 'json', 'yaml'))
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla explain placement web --namespace team
  $ flotilla explain placement web -n team --clusters cluster1
`,
    )
    .action(async (name: string | undefined, _options, self) => {
      const { explainPlacement } = await import('../actions/explain-placement.ts');
      await explainPlacement(context, name, allOptions<ExplainPlacementOptions>(self));
    });
};
