import { Option } from 'commander';
import type { UpOptions } from '../actions/up.ts';
import { type AddCommand, allOptions, countOption, dryRunOption, outputOption, timeoutOption } from './command.ts';

export const addUp: AddCommand = (program, context) => {
  program
    .command('up')
    .summary('Start a hub and clusters on this machine')
    .description(
      'Start a hub and managed clusters in this process, with nothing to install: each cluster requests to join, is accepted, gets its certificate and reports. One more cluster waits for you to accept it. Ctrl-C stops the fleet.',
    )
    .option('--clusters <number>', 'how many clusters to accept; 0 for a hub alone', countOption, 2)
    .option('--data-dir <directory>', 'directory that keeps the fleet for the next time')
    .option('--auto-accept', 'accept every cluster that has a token, without an administrator')
    .option('--kube', 'run real kube-apiservers instead of embedded ones; downloads or compiles them the first time')
    .option(
      '--operator',
      'install hub and agents by the operator, as pods that run as processes of your user: whoever may create pods or works there can run commands as you',
    )
    .addOption(
      new Option('--registration-auth <type>', 'how clusters join: csr, or grpc by the gRPC server of the hub alone')
        .choices(['csr', 'grpc'])
        .default('csr'),
    )
    .option(
      '--detach',
      'run in the background until `flotilla down`; the fleet is in ~/.local/state/flotilla without --data-dir',
    )
    .addOption(new Option('--detached').hideHelp())
    .addOption(timeoutOption('until all clusters are Available'))
    .addOption(dryRunOption())
    .addOption(outputOption('text', 'json', 'yaml'))
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla up
  $ flotilla up --clusters 5 --data-dir ./fleet       # the same fleet again next time
  $ flotilla up --registration-auth grpc              # clusters that never see the hub's API server
  $ flotilla up --operator                            # as on real clusters: operator, ClusterManager, Klusterlets, pods
  $ flotilla up --detach -o json                      # where the kubeconfigs are
  $ flotilla down
`,
    )
    .action(async (_options, self) => {
      const { up } = await import('../actions/up.ts');
      await up(context, allOptions<UpOptions>(self));
    });
};
