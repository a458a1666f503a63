import type { GetCsrOptions } from '../actions/get-csr.ts';
import { type AddCommand, allOptions, listOption, listOutputOption } from './command.ts';

export const addGetCsr: AddCommand = (get, context) => {
  get
    .command('csr')
    .summary('Display the certificate requests of clusters')
    .description('Display the certificate requests of clusters: who requested what, and the decision.')
    .argument('[names...]', 'only requests of these names')
    .option('--clusters <names>', 'only requests of these clusters', listOption)
    .addOption(listOutputOption())
    .addHelpText('after', '\nExamples:\n  $ flotilla get csr\n  $ flotilla get csr --clusters cluster1 -o yaml\n')
    .action(async (names: string[], _options, self) => {
      const { getCsr } = await import('../actions/get-csr.ts');
      await getCsr(context, names, allOptions<GetCsrOptions>(self));
    });
};
