import { connect } from '../connect.ts';
import { CliError } from '../errors.ts';
import { type Acceptance, acceptCluster, requireHub } from '../hub/accept.ts';
import { startProgress } from '../output/progress.ts';
import { waitFor } from '../waiting.ts';
import { type AddCommand, allOptions, listOption } from './command.ts';

interface AcceptOptions {
  readonly clusters?: string[];
  readonly cluster?: string[];
  readonly requesters?: string[];
  readonly skipApproveCheck?: boolean;
  readonly wait?: boolean;
}

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
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla accept --clusters cluster1,cluster2
  $ flotilla accept --clusters cluster3 --wait        # also if it has not asked yet
`,
    )
    .action(async (_options, command) => {
      const options = allOptions<AcceptOptions>(command);
      const names = [...new Set([...(options.clusters ?? []), ...(options.cluster ?? [])])];
      if (names.length === 0) {
        throw new CliError('usage', 'no cluster is named', 'Name them: `flotilla accept --clusters cluster1`.');
      }
      const { requesters = [], skipApproveCheck: anySender = false, dryRun = false } = options;
      await using hub = await connect(context, options);
      await requireHub(hub.client);
      const accept = async (name: string): Promise<Acceptance> =>
        acceptCluster({ client: hub.client, clock: context.clock, dryRun }, name, { requesters, anySender });
      using progress = startProgress(context);
      for (const name of names) {
        const look = async () => {
          const outcome = await accept(name);
          if ('news' in outcome) for (const line of outcome.news) progress.done(line);
          const reason = pendingReason(name, outcome);
          return reason === undefined ? { found: outcome } : { pending: reason };
        };
        const goal = `cluster ${name} to ask`;
        const hint = `Is its agent running? On the cluster: \`${context.program} get klusterlet-info\`. On the hub: \`${context.program} get csr\`.`;
        if (options.wait && !dryRun) {
          await waitFor(context, { goal, hint, timeoutMs: options.timeout * 1000, progress }, look);
        } else {
          const seen = await look();
          if ('pending' in seen)
            throw new CliError(
              'precondition',
              `cluster ${name}: ${seen.pending}`,
              `${hint} Or wait for it with --wait.`,
            );
        }
        context.out.write(
          `Your managed cluster ${name} has been accepted${dryRun ? ' (dry run: nothing was changed)' : ''}.\n`,
        );
      }
    });
};

/** Why it must be tried again later; throws what only a person can decide. */
function pendingReason(name: string, outcome: Acceptance): string | undefined {
  switch (outcome.kind) {
    case 'accepted':
      return undefined;
    case 'waiting':
      return outcome.why;
    case 'unknown':
      return 'there is no ManagedCluster of this name';
    case 'ambiguous':
      throw new CliError(
        'precondition',
        `cluster ${name}: ${outcome.requesters.length} agents claim this name: ${outcome.requesters.join(', ')}`,
        'See them with `flotilla get csr`, and name the right one with --requesters.',
      );
  }
}
