import { type Command, Option } from 'commander';
import type { CliContext } from '../context.ts';
import type { JoinOptions } from '../operator/join-options.ts';
import { authTypes } from '../options/driver-flags.ts';
import type { JoinPushOptions } from '../push/join-push.ts';
import {
  type AddCommand,
  addDriverFlags,
  allOptions,
  booleanOption,
  changeOutputOption,
  countOption,
  dryRunOption,
  listOption,
  pairsOption,
  timeoutOption,
  yesOption,
} from './command.ts';
import { addInstallFlags, operatorOption } from './install-flags.ts';
import { addJoinPushFlags, clusterNameOf, isPush } from './push-flags.ts';

const examples = `
Examples:
  $ flotilla join --hub-token T --hub-apiserver https://hub:6443 --hub-ca-hash sha256:… --cluster-name cluster1
  $ flotilla join --hub-token-file - --hub-apiserver https://hub:6443 --ca-file hub.pem --cluster-name cluster1 --run < token
  $ flotilla join … --cluster-name cluster1 --mode hosted --managed-cluster-kubeconfig cluster1.yaml --context hosting
  $ flotilla join cluster1 --kubeconfig hub.yaml --cluster-kubeconfig cluster1.yaml   # the hub connects to the cluster (push mode)
  $ flotilla join --cluster-name cluster1 --run   # run the agent of a cluster that has joined
  $ flotilla join … --cluster-name cluster1 --registration-auth awsirsa --hub-cluster-arn arn:aws:eks:us-west-2:123456789012:cluster/hub
`;

export const addJoin: AddCommand = (program, context) => {
  const command = program
    .command('join')
    .argument('[name]', 'name of this cluster on the hub, as --cluster-name')
    .summary('Join this cluster to a hub')
    .description(
      'Join this cluster to a hub. Run it on the cluster; `flotilla get token` on the hub prints the command. The token is sent only to a server whose certificate was verified. Repeated, it changes only what its flags name, prints the difference, and asks on a terminal first.',
    )
    .addOption(new Option('--hub-token <token>', 'from `flotilla get token`').env('FLOTILLA_HUB_TOKEN'))
    .option('--hub-token-file <file>', 'read the token from a file, or from standard input if it is -')
    .option('--hub-apiserver <url>', 'address of the hub')
    .option('--hub-ca-hash <hash>', 'verifies the CA of the hub (sha256:…); may be repeated', listOption)
    .option('--hub-ca-data <base64>', 'CA of the hub, for a hub that does not publish it')
    .option('--ca-file <file>', 'CA of the hub as PEM, instead of --hub-ca-hash')
    .option('--cluster-name <name>', 'name of this cluster on the hub')
    .option(
      '--force-internal-endpoint-lookup',
      'make the agent use the internal address of the hub, from its cluster-info',
    )
    .option('--no-force-internal-endpoint-lookup', 'make the agent use --hub-apiserver again')
    .option('--proxy-url <url>', 'proxy through which the agent reaches the hub; with --push, the hub the cluster')
    .option('--proxy-ca-file <file>', 'CA of that proxy as PEM, if it terminates TLS')
    .option(
      '--klusterlet-annotation <key=value>',
      'annotation of this cluster on the hub; may be repeated',
      pairsOption,
    )
    .option('--feature-gates <pairs>', 'feature gates of the agent to set, such as NAME=true', pairsOption)
    .option(
      '--registration-auth <type>',
      `how the agent gets its identity: ${authTypes.join(', ')}; default: as this cluster joined before, or ${authTypes[0]}`,
    )
    .option('--create-namespace [boolean]', 'create the namespaces; false if they exist', booleanOption, true)
    .option('--client-cert-expiration-seconds <seconds>', 'lifetime of client certificates to request', countOption)
    .option(
      '--addon-kubeclient-registration-auth <type>',
      'how add-ons get access to the hub: csr, token; default: as this cluster joined before, or csr',
    )
    .option('--addon-token-expiration-seconds <seconds>', 'lifetime of tokens of add-ons to request', countOption)
    .option('--run', 'run the agent here in the foreground until Ctrl-C; again later without a token')
    .option('--wait', 'wait until this cluster is registered on the hub; needs a running agent')
    .addOption(timeoutOption('with --wait'))
    .addOption(dryRunOption())
    .addOption(yesOption())
    .addOption(changeOutputOption())
    .option('--output-file <file>', 'also write the manifests here, without secrets')
    .addHelpText('after', examples)
    .action((name: string | undefined, _options, self) => pushOrPull(context, name, self));
  addJoinPushFlags(command);
  addDriverFlags(command, 'join');
  addInstallFlags(command);
  addModeFlags(command);
};

/** The hub reaches the cluster, or an agent on the cluster reaches the hub. */
async function pushOrPull(context: CliContext, name: string | undefined, command: Command): Promise<void> {
  const options = allOptions<JoinOptions & JoinPushOptions>(command);
  const named = { ...options, clusterName: clusterNameOf(name, options.clusterName) };
  if (isPush(options)) {
    const { joinPush } = await import('../push/join-push.ts');
    return await joinPush(context, named);
  }
  const { join } = await import('../actions/join.ts');
  await join(context, named);
}

/** Where the agent runs, and which cluster joins. */
function addModeFlags(command: Command): void {
  command
    .addOption(operatorOption())
    .option('--singleton', 'run registration and work in one process')
    .option('--klusterlet-values-file <file>', 'values of the chart klusterlet, which win over flags')
    .option('-m, --mode <mode>', 'default, or hosted: the agent runs on this cluster and another one joins')
    .option('--managed-cluster-kubeconfig <file>', 'kubeconfig of the cluster that joins, with --mode hosted')
    .option(
      '--force-internal-endpoint-lookup-managed',
      'with --mode hosted, make the agent use the internal address of the managed cluster, from its cluster-info',
    )
    .option('--capi-import', 'join a cluster of Cluster API, by the kubeconfig that it keeps')
    .option('--capi-cluster-name <namespace/name>', 'that Cluster')
    .option('--capi-kubeconfig <file>', 'kubeconfig of the cluster where Cluster API runs; default: as --kubeconfig');
}
