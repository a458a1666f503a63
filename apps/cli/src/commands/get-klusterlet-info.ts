import type { GetKlusterletInfoOptions } from '../actions/get-klusterlet-info.ts';
import { type AddCommand, allOptions, outputOption } from './command.ts';

export const addGetKlusterletInfo: AddCommand = (get, context) => {
  get
    .command('klusterlet-info')
    .summary('Display how this cluster is joined')
    .description('Display how this cluster is joined: under which name, with which credentials, and its conditions.')
    .addOption(outputOption('text', 'wide', 'name', 'json', 'yaml'))
    .addHelpText('after', '\nExamples:\n  $ flotilla get klusterlet-info --context kind-cluster1\n')
    .action(async (_options, self) => {
      const { getKlusterletInfo } = await import('../actions/get-klusterlet-info.ts');
      await getKlusterletInfo(context, allOptions<GetKlusterletInfoOptions>(self));
    });
};
