import manifest from '../../package.json' with { type: 'json' };
import { type AddCommand, allOptions, outputOption } from './command.ts';

/** The version of this program, and the release of OCM whose API it follows. */
const versions = { flotilla: manifest.version, ocm: 'v1.3.1' };

export const addVersion: AddCommand = (program, context) => {
  program
    .command('version')
    .summary('Print the version')
    .description('Print the version of this program, and the release of OCM that it is compatible with.')
    .addOption(outputOption('text', 'json', 'yaml'))
    .addHelpText('after', '\nExamples:\n  $ flotilla version\n  $ flotilla version -o json\n')
    .action(async (_options, self) => {
      const { output } = allOptions<{ output: string }>(self);
      if (output === 'text') {
        context.out.write(`flotilla\tversion\t:${versions.flotilla}\nOCM\tcompatible with\t:${versions.ocm}\n`);
        return;
      }
      const { formatValue } = await import('../output/format.ts');
      context.out.write(formatValue(versions, output === 'json' ? 'json' : 'yaml'));
    });
};
