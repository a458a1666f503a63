import { Argument } from 'commander';
import type { DoctorOptions, DoctorSubject } from '../actions/doctor.ts';
import { type AddCommand, allOptions, changeOutputOption } from './command.ts';

export const addDoctor: AddCommand = (program, context) => {
  program
    .command('doctor')
    .summary('Check a hub or a cluster, and say what to do')
    .description(
      'Check a hub or a managed cluster end to end, and say what to do about what is wrong: server, clock, operator, conditions, controllers, admission, the published address, clusters, works and add-ons; of a cluster its agent and the way to its hub. Nothing is changed.',
    )
    .addArgument(new Argument('[subject]', 'what to check; default: what this cluster is').choices(['hub', 'cluster']))
    .addOption(changeOutputOption())
    .addHelpText('after', '\nExamples:\n  $ flotilla doctor\n  $ flotilla doctor hub --context kind-hub -o json\n')
    .action(async (subject: DoctorSubject, _options, self) => {
      const { doctor } = await import('../actions/doctor.ts');
      await doctor(context, subject, allOptions<DoctorOptions>(self));
    });
};
