import type { AddOnEnableOptions } from '../actions/addon-enable.ts';
import {
  type AddCommand,
  allOptions,
  changeOutputOption,
  dryRunOption,
  listOption,
  pairsOption,
  timeoutOption,
} from './command.ts';

export const addAddOnEnable: AddCommand = (addon, context) => {
  addon
    .command('enable')
    .summary('Enable add-ons on clusters')
    .description(
      'Enable add-ons that the hub offers on clusters. All names are checked before the first is enabled; repeating it changes nothing.',
    )
    .option('--names <names>', 'add-ons, separated by commas', listOption)
    .option('--clusters <names>', 'clusters, separated by commas', listOption)
    .option('-c, --cluster <name>', 'one cluster', listOption)
    .option(
      '-n, --namespace <name>',
      'namespace of the agent on the cluster, of add-ons that heed it (default: open-cluster-management-agent-addon)',
    )
    .option('--annotate <annotations>', 'annotations, for example key=value', pairsOption)
    .option('--labels <labels>', 'labels, for example key=value', pairsOption)
    .option(
      '--config-file <file>',
      'configurations for these clusters: applied on the hub first, then used instead of the defaults',
    )
    .option('--wait', 'wait until the add-ons are Available')
    .addOption(timeoutOption('with --wait'))
    .addOption(dryRunOption())
    .addOption(changeOutputOption())
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla addon enable --names hello --clusters cluster1,cluster2 --wait
  $ flotilla addon enable --names hello -c cluster1 --config-file small.yaml
`,
    )
    .action(async (_options, self) => {
      const { enableAddOns } = await import('../actions/addon-enable.ts');
      await enableAddOns(context, allOptions<AddOnEnableOptions>(self));
    });
};
