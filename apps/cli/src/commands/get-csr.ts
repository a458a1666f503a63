import type { GetCsrOptions } from '../actions/get-csr.ts';
import { type AddCommand, allOptions, listOption, outputOption } from './command.ts';

export const addGetCsr: AddCommand = (get, context) => {
  get
    .command('csr')
    .summary('Display the certificate requests of clusters')
    .description('Display the certificate requests of clusters: who requested what, and the decision.')
    .option('--clusters <names>', 'only requests of these clusters', listOption)
    .addOption(outputOption('table', 'json', 'yaml'))
    .addHelpText('after', '\nExamples:\n  $ flotilla get csr\n  $ flotilla get csr --clusters cluster1 -o yaml\n')
    .action(async (_options, self) => {
      const { getCsr } = await import('../actions/get-csr.ts');
      await getCsr(context, allOptions<GetCsrOptions>(self));
    });
};
