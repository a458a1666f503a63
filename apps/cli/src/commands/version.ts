import { formatValue, isMachineFormat } from '../output/format.ts';
import { type AddCommand, allOptions, outputOption } from './command.ts';

/** The version of this program, and the release of OCM whose wire contract it follows. */
const versions = { flotilla: '0.0.0', ocm: 'v1.3.1' };

export const addVersion: AddCommand = (program, context) => {
  program
    .command('version')
    .description('The version of this program, and the release of OCM that it is compatible with.')
    .addOption(outputOption('text', 'json', 'yaml'))
    .addHelpText('after', '\nExamples:\n  $ flotilla version\n  $ flotilla version -o json\n')
    .action((_options, command) => {
      const { output } = allOptions<{ output: string }>(command);
      context.out.write(
        isMachineFormat(output)
          ? formatValue(versions, output)
          : `flotilla\tversion\t:${versions.flotilla}\nOCM\tcompatible with\t:${versions.ocm}\n`,
      );
    });
};
