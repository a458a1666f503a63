import type { GetCsrOptions } from '../actions/get-csr.ts';
import { type AddCommand, allOptions, listOption, outputOption } from './command.ts';

export const addGetCsr: AddCommand = (get, context) => {
  get
    .command('csr')
    .description('The certificate requests of clusters: who asked for what, and what became of it.')
    .option('--clusters <names>', 'only those of these clusters', listOption)
    .addOption(outputOption('table', 'json', 'yaml'))
    .addHelpText('after', '\nExamples:\n  $ flotilla get csr\n  $ flotilla get csr --clusters cluster1 -o yaml\n')
    .action(async (_options, self) => {
      const { getCsr } = await import('../actions/get-csr.ts');
      await getCsr(context, allOptions<GetCsrOptions>(self));
    });
};
