import type { UninstallHubAddOnOptions } from '../actions/uninstall-hub-addon.ts';
import { type AddCommand, allOptions, dryRunOption, listOption, outputOption, timeoutOption } from './command.ts';
import { takeIdleFlags } from './flags-of-clusteradm.ts';

export const addUninstallHubAddOn: AddCommand = (uninstall, context) => {
  const command = uninstall
    .command('hub-addon')
    .summary('Take add-ons off the hub')
    .description(
      'Remove what `install hub-addon` applied, given the same names or files. It refuses add-ons that clusters still have. Definitions of kinds and namespaces stay.',
    )
    .option('--names <names>', 'add-ons that this program brings, separated by commas: helloworld', listOption)
    .option(
      '--bundle <files>',
      'files or directories with the manifests of others, or - for standard input',
      listOption,
    )
    .option('-n, --namespace <name>', 'namespace of objects that name none', 'open-cluster-management')
    .addOption(timeoutOption('for each object to go'))
    .addOption(dryRunOption())
    .addOption(outputOption('text', 'json', 'yaml'))
    .addHelpText('after', '\nExamples:\n  $ flotilla uninstall hub-addon --names helloworld\n')
    .action(async (_options, self) => {
      const { uninstallHubAddOns } = await import('../actions/uninstall-hub-addon.ts');
      await uninstallHubAddOns(context, allOptions<UninstallHubAddOnOptions>(self));
    });
  takeIdleFlags(command, '--output-file <file>');
};
