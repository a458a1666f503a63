import { type AddCommand, allOptions } from './command.ts';

export const addConfig: AddCommand = (program, context) => {
  program
    .command('config')
    .summary('Display and change kubeconfigs, by kubectl')
    .description('Run `kubectl config` with these arguments, on the kubeconfig that this program uses.')
    .usage('[arguments...]')
    .argument('[arguments...]', 'arguments of kubectl config')
    .allowUnknownOption()
    .addHelpText(
      'after',
      '\nExamples:\n  $ flotilla config get-contexts\n  $ flotilla config use-context kind-hub --kubeconfig hub.yaml\n',
    )
    .action(async (words: string[], _options, self) => {
      const { config } = await import('../actions/config.ts');
      await config(context, words, allOptions<object>(self));
    });
};
