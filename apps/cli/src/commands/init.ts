import type { InitOptions } from '../init/init-options.ts';
import { authTypes } from '../options/driver-flags.ts';
import {
  type AddCommand,
  addDriverFlags,
  allOptions,
  booleanOption,
  changeOutputOption,
  dryRunOption,
  listOption,
  pairsOption,
  timeoutOption,
  yesOption,
} from './command.ts';
import { type Refusal, refuseFlags, takeIdleFlags } from './flags-of-clusteradm.ts';
import { addInstallFlags, operatorOption } from './install-flags.ts';

const instead =
  'Run such a hub as a process of this machine: `flotilla up --clusters 0 --data-dir DIRECTORY --detach`. Or leave the flag out, for a hub on this cluster.';
const ofSingleton: Refusal = ['it is about --singleton, which is not supported either', instead];

/** OCM installs another project for them, multicluster-controlplane, and calls them deprecated. */
const singletonFlags: Readonly<Record<string, Refusal>> = {
  '--singleton': ['it would run a hub with an API server of its own in a pod of this cluster', instead],
  '--singleton-name': ofSingleton,
  '-f, --values': ofSingleton,
  '--set': ofSingleton,
  '--set-string': ofSingleton,
  '--set-file': ofSingleton,
  '--set-json': ofSingleton,
  '--set-literal': ofSingleton,
};

export const addInit: AddCommand = (program, context) => {
  const command = program
    .command('init')
    .summary('Install a hub')
    .description(
      'Install a hub on this cluster, and print how clusters join it. Where the cluster has nodes, install the operator and a ClusterManager: the operator runs the hub. Otherwise install what the programs of a hub need, and print how to start them. Repeated, it changes only what its flags name, prints the difference, and asks on a terminal first.',
    )
    .option('--use-bootstrap-token', 'print a bootstrap token, valid for a day, instead of one of a service account')
    .option('--no-use-bootstrap-token', 'use the service account again')
    .addOption(operatorOption())
    .option(
      '--webhook-url <url>',
      'where the API server reaches the webhook server, if it runs outside of the cluster; none to go back to policies',
    )
    .option('--feature-gates <pairs>', 'feature gates of the hub to set, such as NAME=true', pairsOption)
    .option(
      '--registration-drivers <names>',
      `how clusters may register: ${authTypes.join(', ')}; default: ${authTypes[0]}`,
      listOption,
    )
    .option('--create-namespace [boolean]', 'create the namespaces; false if they exist', booleanOption, true)
    .option('--wait', 'wait until the controllers of the hub run')
    .addOption(timeoutOption('with --wait'))
    .addOption(dryRunOption())
    .addOption(yesOption())
    .addOption(changeOutputOption())
    .option('--output-file <file>', 'also write the manifests here')
    .option(
      '--output-join-command-file <file>',
      'write the join command to a file, readable by its owner; $1 is the cluster name',
    )
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla init --context kind-hub
  $ flotilla init --wait --resource-qos-class ResourceRequirement --resource-requests cpu=500m,memory=512Mi
  $ flotilla init --dry-run > hub.yaml                # what it would apply
  $ flotilla init --webhook-url https://10.0.0.5:9443 # the hub runs on this machine, webhooks too
  $ flotilla init --registration-drivers awsirsa,csr --hub-cluster-arn arn:aws:eks:us-west-2:123456789012:cluster/hub
`,
    )
    .action(async (_options, self) => {
      const { init } = await import('../actions/init.ts');
      await init(context, allOptions<InitOptions>(self));
    });
  addDriverFlags(command, 'init');
  addInstallFlags(command);
  command.option('--cluster-manager-values-file <file>', 'values of the chart cluster-manager, which win over flags');
  takeIdleFlags(command, '--force');
  refuseFlags(command, singletonFlags);
};
