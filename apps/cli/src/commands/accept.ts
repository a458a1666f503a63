import type { AcceptOptions } from '../actions/accept.ts';
import { type AddCommand, allOptions, changeOutputOption, dryRunOption, listOption, timeoutOption } from './command.ts';

export const addAccept: AddCommand = (program, context) => {
  program
    .command('accept')
    .summary('Accept clusters on the hub')
    .description(
      'Accept clusters: approve the certificate requests of exactly these clusters and set hubAcceptsClient. Run it on the hub; repeating it changes nothing. Requests of one cluster for different keys are shown, and one of them has to be chosen.',
    )
    .option('--clusters <names>', 'clusters, separated by commas', listOption)
    .option('-c, --cluster <name>', 'one cluster', listOption)
    .option(
      '--requesters <names>',
      'only requests with these common names, when several agents claim a name',
      listOption,
    )
    .option('--csr <name>', 'approve this request, when there are several or the cluster has joined before')
    .option('--fingerprint <hash>', 'approve requests for the key with this fingerprint, as the agent logs it')
    .option('--skip-approve-check', 'also approve requests that no known bootstrap identity sent')
    .option('--wait', 'wait for clusters that have not requested to join yet')
    .addOption(timeoutOption('with --wait'))
    .addOption(dryRunOption())
    .addOption(changeOutputOption())
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla accept --clusters cluster1,cluster2
  $ flotilla accept --clusters cluster3 --wait        # also if it has not requested to join yet
  $ flotilla accept --clusters cluster4 --csr cluster4-x7k2p
`,
    )
    .action(async (_options, self) => {
      const { accept } = await import('../actions/accept.ts');
      await accept(context, allOptions<AcceptOptions>(self));
    });
};
