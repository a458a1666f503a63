import type { CreatePlacementOptions } from '../actions/create-placement.ts';
import { type AddCommand, allOptions, changeOutputOption, countOption, dryRunOption, listOption } from './command.ts';

export const addCreatePlacement: AddCommand = (create, context) => {
  create
    .command('placement')
    .summary('Create a placement, which selects clusters')
    .description(
      'Create a placement, which selects clusters of the sets that are bound to its namespace, and keeps the selection right as clusters change.',
    )
    .argument('[name]', 'name of the placement')
    .option('-n, --namespace <name>', 'namespace of the placement', 'default')
    .option(
      '--label-selectors <selectors>',
      'select clusters that match one of these, for example env=prod',
      listOption,
    )
    .option('--clustersets <names>', 'choose from these sets only (default: all that are bound)', listOption)
    .option(
      '--prioritizers <list>',
      'what ranks clusters: BuiltIn:<Type>:<Weight> or AddOn:<Resource>:<Score>:<Weight>',
      listOption,
    )
    .option('--count <number>', 'how many clusters to select (default: all)', countOption)
    .option('--overwrite', 'replace the spec of a placement that exists')
    .addOption(dryRunOption())
    .addOption(changeOutputOption())
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla create placement web --namespace team --label-selectors env=prod
  $ flotilla create placement web --clustersets prod --count 2 --prioritizers BuiltIn:ResourceAllocatableMemory:2 --overwrite
`,
    )
    .action(async (name: string | undefined, _options, self) => {
      const { createPlacement } = await import('../actions/create-placement.ts');
      await createPlacement(context, name, allOptions<CreatePlacementOptions>(self));
    });
};
