import type { AddOnCreateOptions } from '../actions/addon-create.ts';
import { type AddCommand, allOptions, changeOutputOption, dryRunOption, listOption, pairsOption } from './command.ts';

export const addAddOnCreate: AddCommand = (addon, context) => {
  addon
    .command('create')
    .summary('Offer objects as an add-on')
    .description(
      'Offer the objects in files as an add-on of the hub: an AddOnTemplate, and the ClusterManagementAddOn that has it as its default. Clusters get it by `addon enable`, or by the placement that --placement-ref names. An object without a namespace goes to open-cluster-management-agent-addon, where add-ons are.',
    )
    .argument('[name]', 'name of the add-on')
    .option('-f, --filename <files>', 'files or directories with manifests, or - for standard input', listOption)
    .option('-R, --recursive', 'read subdirectories too')
    .option('--version <version>', 'version of the add-on; its template is NAME-VERSION', '0.0.1')
    .option('--labels <labels>', 'labels of both objects, for example team=a', pairsOption)
    .option('--placement-ref <namespace/name>', 'install it on the clusters that this Placement selects')
    .option('--hub-registration', 'give its agent credentials for the hub')
    .option(
      '--cluster-role-bind <clusterrole>',
      'with --hub-registration: a ClusterRole for the agent, in the namespace of its cluster on the hub',
    )
    .option('--overwrite', 'replace what exists with other content; configurations, placements and rollouts stay')
    .addOption(dryRunOption())
    .addOption(changeOutputOption())
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla addon create hello -f hello.yaml
  $ flotilla addon create hello -f ./manifests --version 0.0.2 --overwrite
  $ flotilla addon create hello -f hello.yaml --placement-ref default/all
  $ flotilla addon create probe -f probe.yaml --hub-registration --cluster-role-bind probe-reader
`,
    )
    .action(async (name: string | undefined, _options, self) => {
      const { createAddOn } = await import('../actions/addon-create.ts');
      await createAddOn(context, name, allOptions<AddOnCreateOptions>(self));
    });
};
