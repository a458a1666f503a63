import { Option } from 'commander';
import type { JoinOptions } from '../actions/join.ts';
import { authTypes } from '../options/driver-flags.ts';
import {
  type AddCommand,
  addDriverFlags,
  allOptions,
  booleanOption,
  countOption,
  dryRunOption,
  listOption,
  outputOption,
  pairsOption,
  refuseForNow,
  timeoutOption,
} from './command.ts';

const examples = `
Examples:
  $ flotilla join --hub-token T --hub-apiserver https://hub:6443 --hub-ca-hash sha256:… --cluster-name cluster1
  $ flotilla join --hub-token-file - --hub-apiserver https://hub:6443 --ca-file hub.pem --cluster-name cluster1 --run < token
  $ flotilla join --cluster-name cluster1 --run   # run the agent of a cluster that has joined
  $ flotilla join … --cluster-name cluster1 --registration-auth awsirsa --hub-cluster-arn arn:aws:eks:us-west-2:123456789012:cluster/hub
`;

/** Flags of OCM's command line that come with other parts. */
const notYet = {
  '--mode': 'hosted mode',
  '--managed-cluster-kubeconfig': 'hosted mode',
  '--force-internal-endpoint-lookup-managed': 'hosted mode',
  '--image-registry': 'the operator, which runs images; --run runs the agent here',
  '--image-pull-credential-file': 'the operator',
  '--bundle-version': 'the operator',
  '--bundle-version-overrides': 'the operator',
  '--resource-qos-class': 'the operator, which sizes deployments',
  '--resource-limits': 'the operator, which sizes deployments',
  '--resource-requests': 'the operator, which sizes deployments',
  '--enable-sync-labels': 'the operator',
  '--klusterlet-values-file': 'the operator',
  '--capi-import': 'the importer of Cluster API',
  '--capi-cluster-name': 'the importer of Cluster API',
  '--capi-kubeconfig': 'the importer of Cluster API',
};

export const addJoin: AddCommand = (program, context) => {
  const command = program
    .command('join')
    .summary('Join this cluster to a hub')
    .description(
      'Join this cluster to a hub. Run it on the cluster; `flotilla get token` on the hub prints the command. The token is sent only to a server whose certificate was verified. Repeating it is safe, also after a failure.',
    )
    .addOption(new Option('--hub-token <token>', 'from `flotilla get token`').env('FLOTILLA_HUB_TOKEN'))
    .option('--hub-token-file <file>', 'read the token from a file, or from standard input if it is -')
    .option('--hub-apiserver <url>', 'address of the hub')
    .option('--hub-ca-hash <hash>', 'verifies the CA of the hub (sha256:…); may be repeated', listOption)
    .option('--hub-ca-data <base64>', 'CA of the hub, for a hub that does not publish it')
    .option('--ca-file <file>', 'CA of the hub as PEM, instead of --hub-ca-hash')
    .requiredOption('--cluster-name <name>', 'name of this cluster on the hub')
    .option(
      '--force-internal-endpoint-lookup',
      'make the agent use the address that the hub publishes in its cluster-info',
    )
    .option('--proxy-url <url>', 'proxy through which the agent reaches the hub')
    .option('--proxy-ca-file <file>', 'CA of that proxy as PEM, if it terminates TLS')
    .option(
      '--klusterlet-annotation <key=value>',
      'annotation of this cluster on the hub; may be repeated',
      pairsOption,
    )
    .option('--feature-gates <pairs>', 'features of the agent, NAME=true or NAME=false', pairsOption)
    .option(
      '--registration-auth <type>',
      `how the agent gets its identity: ${authTypes.join(', ')}; default: as this cluster joined before, or ${authTypes[0]}`,
    )
    .option('--create-namespace [boolean]', 'create the namespaces; false if they exist', booleanOption, true)
    .option('--singleton', 'run registration and work in one process')
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
    .addOption(outputOption('text', 'json', 'yaml'))
    .option('--output-file <file>', 'also write the manifests here, without secrets')
    .addHelpText('after', examples)
    .action(async (_options, self) => {
      const { join } = await import('../actions/join.ts');
      await join(context, allOptions<JoinOptions>(self));
    });
  addDriverFlags(command, 'join');
  refuseForNow(command, notYet);
};
