import { Option } from 'commander';
import type { ClusterSetBindOptions } from '../actions/clusterset-bind.ts';
import { type AddCommand, allOptions, changeOutputOption, dryRunOption } from './command.ts';

const namespaceOption = () =>
  new Option('-n, --namespace <name>', 'namespace of the hub whose placements are meant').default('default');

export const addClusterSetBind: AddCommand = (clusterset, context) => {
  clusterset
    .command('bind')
    .summary('Bind a set to a namespace')
    .description('Bind a set to a namespace, whose placements then choose from its clusters.')
    .argument('[name...]', 'name of the set')
    .addOption(namespaceOption())
    .addOption(dryRunOption())
    .addOption(changeOutputOption())
    .addHelpText('after', '\nExamples:\n  $ flotilla clusterset bind prod --namespace team\n')
    .action(async (names: string[], _options, self) => {
      const { bindClusterSet } = await import('../actions/clusterset-bind.ts');
      await bindClusterSet(context, names, allOptions<ClusterSetBindOptions>(self));
    });
};

export const addClusterSetUnbind: AddCommand = (clusterset, context) => {
  clusterset
    .command('unbind')
    .summary('Unbind a set from a namespace')
    .description('Unbind a set from a namespace, whose placements then lose its clusters.')
    .argument('[name...]', 'name of the set')
    .addOption(namespaceOption())
    .addOption(dryRunOption())
    .addOption(changeOutputOption())
    .addHelpText('after', '\nExamples:\n  $ flotilla clusterset unbind prod --namespace team\n')
    .action(async (names: string[], _options, self) => {
      const { unbindClusterSet } = await import('../actions/clusterset-bind.ts');
      await unbindClusterSet(context, names, allOptions<ClusterSetBindOptions>(self));
    });
};
