import type { CreateSampleAppOptions } from '../actions/create-sampleapp.ts';
import { type AddCommand, allOptions, changeOutputOption, dryRunOption } from './command.ts';

export const addCreateSampleApp: AddCommand = (create, context) => {
  create
    .command('sampleapp')
    .summary('Deploy a sample application by Argo CD')
    .description(
      'Deploy the guestbook of Argo CD to the clusters that the placement app-placement selects. Argo CD must be on the hub, with the pull integration of Open Cluster Management.',
    )
    .argument('[name]', 'name of the application', 'sampleapp')
    .addOption(dryRunOption())
    .addOption(changeOutputOption())
    .addHelpText(
      'after',
      '\nExamples:\n  $ flotilla create sampleapp\n  $ flotilla create sampleapp guestbook --dry-run\n',
    )
    .action(async (name: string, _options, self) => {
      const { createSampleApp } = await import('../actions/create-sampleapp.ts');
      await createSampleApp(context, name, allOptions<CreateSampleAppOptions>(self));
    });
};
