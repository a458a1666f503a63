import type { AcceptOptions } from '../actions/accept.ts';
import { type AddCommand, allOptions, listOption, outputOption } from './command.ts';

export const addAccept: AddCommand = (program, context) => {
  program
    .command('accept')
    .summary('let clusters in')
    .description(
      'Lets clusters in: approves the certificate requests of exactly these clusters and sets hubAcceptsClient. Run it on the hub; repeating it changes nothing.',
    )
    .option('--clusters <names>', 'the clusters, separated by commas', listOption)
    .option('-c, --cluster <name>', 'one cluster', listOption)
    .option(
      '--requesters <names>',
      'only requests with these common names, when several agents claim a name',
      listOption,
    )
    .option('--skip-approve-check', 'also approve requests that no known bootstrap identity sent')
    .option('--wait', 'wait for clusters that have not asked yet')
    .addOption(outputOption('text', 'json', 'yaml'))
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla accept --clusters cluster1,cluster2
  $ flotilla accept --clusters cluster3 --wait        # also if it has not asked yet
`,
    )
    .action(async (_options, self) => {
      const { accept } = await import('../actions/accept.ts');
      await accept(context, allOptions<AcceptOptions>(self));
    });
};
