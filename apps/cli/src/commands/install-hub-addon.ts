import type { InstallHubAddOnOptions } from '../actions/install-hub-addon.ts';
import { type AddCommand, allOptions, booleanOption, changeOutputOption, dryRunOption, listOption } from './command.ts';
import { type Refusal, refuseFlags } from './flags-of-clusteradm.ts';

const ofBundles: Refusal = [
  'the add-ons that this program brings have its version',
  'Leave it out, or give the manifests of another version by --bundle.',
];

export const addInstallHubAddOn: AddCommand = (install, context) => {
  const command = install
    .command('hub-addon')
    .summary('Make the hub offer add-ons')
    .description(
      'Apply what makes the hub offer add-ons: examples that this program brings, by name, or the manifests of any other add-on, from files. Nothing is fetched from the network.',
    )
    .option('--names <names>', 'add-ons that this program brings, separated by commas: helloworld', listOption)
    .option(
      '--bundle <files>',
      'files or directories with the manifests of others, or - for standard input',
      listOption,
    )
    .option('-n, --namespace <name>', 'namespace of objects that name none', 'open-cluster-management')
    .option('--create-namespace [boolean]', 'create the namespace if it is missing', booleanOption, false)
    .addOption(dryRunOption())
    .addOption(changeOutputOption())
    .option('--output-file <file>', 'also write the manifests here')
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla install hub-addon --names helloworld
  $ helm template my-addon ./chart | flotilla install hub-addon --bundle -
`,
    )
    .action(async (_options, self) => {
      const { installHubAddOns } = await import('../actions/install-hub-addon.ts');
      await installHubAddOns(context, allOptions<InstallHubAddOnOptions>(self));
    });
  refuseFlags(command, {
    '--bundle-version': ofBundles,
    '--bundle-version-overrides': ofBundles,
  });
};
