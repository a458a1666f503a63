import { Option } from 'commander';
import type { RegisterOptions } from '../actions/register.ts';
import {
  type AddCommand,
  allOptions,
  booleanOption,
  changeOutputOption,
  countOption,
  dryRunOption,
  listOption,
  registrationAuthOption,
  timeoutOption,
  yesOption,
} from './command.ts';
import { type Refusal, refuseFlags } from './flags-of-clusteradm.ts';

/** Flags of karmadactl about another layout of the agent. */
const ofKarmada: Readonly<Record<string, Refusal>> = {
  '--namespace': [
    'the agent is in open-cluster-management-agent, as clusters of Open Cluster Management have it',
    'Leave it out.',
  ],
  '--cluster-namespace': ['an agent that pulls has no Secret on the hub', 'Leave it out.'],
  '--karmada-agent-image': [
    'the operator runs images of its release',
    'Choose the release by `flotilla upgrade klusterlet --bundle-version`, or run the agent here by --run.',
  ],
  '--karmada-agent-replicas': [
    'the operator chooses how many run, by the nodes of the cluster',
    'Leave it out, or give replicas in the values file of `flotilla join --klusterlet-values-file`.',
  ],
};

export const addRegister: AddCommand = (program, context) => {
  const command = program
    .command('register')
    .summary('Join this cluster to a hub by a bootstrap token')
    .description(
      'Join this cluster to a hub as karmadactl registers one. Run it on the cluster; `flotilla token create --print-register-command` on the hub prints the command. The hub proves itself by a signature of the token and by the hash of its CA, before the token is sent. With --registration-auth grpc the address is that of the gRPC server, which proves itself by the hash of its CA. Then it does what `join` does.',
    )
    .argument('<address>', 'host:port of the API server of the hub, or of its gRPC server')
    .addOption(new Option('--token <token>', 'bootstrap token, id.secret').env('FLOTILLA_HUB_TOKEN'))
    .option(
      '--discovery-token-ca-cert-hash <hashes>',
      'hash of the public key of the CA of the hub (sha256:…); may be repeated',
      listOption,
    )
    .option(
      '--discovery-token-unsafe-skip-ca-verification [boolean]',
      'trust a hub that the token signed, without a hash: whoever has the token can pose as the hub',
      booleanOption,
    )
    .addOption(registrationAuthOption('how the agent gets its identity; default: as before, else csr'))
    .option('--discovery-timeout <duration>', 'how long to wait for the signature', '5m')
    .option('--cluster-name <name>', 'name of this cluster on the hub (default: its name in the kubeconfig)')
    .option('--cluster-provider <name>', 'provider of the cluster: a claim')
    .option('--cluster-region <name>', 'region of the cluster: a claim')
    .option('--cluster-zones <names>', 'zones of the cluster: a claim', listOption)
    .option('--cert-expiration-seconds <seconds>', 'lifetime of client certificates to request', countOption)
    .option('--enable-cert-rotation [boolean]', 'has no effect: certificates are always rotated', booleanOption)
    .option('--proxy-server-address <url>', 'proxy through which the agent reaches the hub')
    .option('--create-namespace [boolean]', 'create the namespaces; false if they exist', booleanOption, true)
    .option('--singleton', 'run registration and work in one process')
    .option('--run', 'run the agent here in the foreground until Ctrl-C')
    .option('--wait', 'wait until this cluster is registered on the hub; needs a running agent')
    .addOption(timeoutOption('with --wait'))
    .addOption(dryRunOption())
    .addOption(yesOption())
    .addOption(changeOutputOption())
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla register hub:6443 --token T --discovery-token-ca-cert-hash sha256:… --cluster-name cluster1
  $ flotilla register hub:6443 --token T --discovery-token-ca-cert-hash sha256:… --dry-run -o json   # the checks only
  $ flotilla register hub:8090 --token T --discovery-token-ca-cert-hash sha256:… --registration-auth grpc
`,
    )
    .action(async (address: string, _options, self) => {
      const { register } = await import('../actions/register.ts');
      await register(context, address, allOptions<RegisterOptions>(self));
    });
  refuseFlags(command, ofKarmada);
};
