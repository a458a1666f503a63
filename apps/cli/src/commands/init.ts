import type { InitOptions } from '../actions/init.ts';
import {
  type AddCommand,
  allOptions,
  booleanOption,
  listOption,
  outputOption,
  pairsOption,
  refuseForNow,
} from './command.ts';

export const addInit: AddCommand = (program, context) => {
  const command = program
    .command('init')
    .summary('make this cluster a hub')
    .description(
      'Makes this cluster a hub: definitions of kinds, namespaces, what the programs of the hub may do, webhooks, and a service account with which clusters can ask to join and nothing else. Prints how to start the hub and how to join. Repeating it is safe.',
    )
    .option('--use-bootstrap-token', 'invite by a bootstrap token, good for a day, instead of one of a service account')
    .option('--webhook-url <url>', 'where the API server reaches the webhook server, if it runs outside of the cluster')
    .option('--feature-gates <pairs>', 'features of the hub, NAME=true or NAME=false', pairsOption)
    .option('--registration-drivers <names>', 'how clusters may register: csr', listOption)
    .option('--auto-approved-csr-identities <users>', 'users whose clusters need no administrator', listOption)
    .option('--create-namespace [boolean]', 'make the namespaces; false if they are there', booleanOption, true)
    .option('--wait', 'wait until the controllers of the hub run')
    .addOption(outputOption('text', 'json', 'yaml'))
    .option('--output-file <file>', 'also write the manifests here')
    .option(
      '--output-join-command-file <file>',
      'also write the command that joins a cluster ($1) here, readable by its owner',
    )
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla init --context kind-hub
  $ flotilla init --dry-run > hub.yaml                # what it would apply
  $ flotilla init --webhook-url https://10.0.0.5:9443 # the hub runs on this machine, webhooks too
`,
    )
    .action(async (_options, self) => {
      const { init } = await import('../actions/init.ts');
      await init(context, allOptions<InitOptions>(self));
    });
  refuseForNow(command, {
    '--image-registry': 'the operator, which runs images; start the hub as it is printed',
    '--image-pull-credential-file': 'the operator',
    '--bundle-version': 'the operator',
    '--bundle-version-overrides': 'the operator',
    '--resource-qos-class': 'the operator, which sizes deployments',
    '--resource-limits': 'the operator, which sizes deployments',
    '--resource-requests': 'the operator, which sizes deployments',
    '--enable-sync-labels': 'the operator',
    '--cluster-manager-values-file': 'the operator',
    '--singleton': 'a hub in a hub; `flotilla up` starts one on this machine',
    '--hub-cluster-arn': 'the driver awsirsa',
    '--aws-resource-tags': 'the driver awsirsa',
    '--auto-approved-arn-patterns': 'the driver awsirsa',
    '--auto-approved-grpc-identities': 'the driver grpc',
    '--grpc-server': 'the driver grpc',
    '--grpc-endpoint-type': 'the driver grpc',
  });
};
