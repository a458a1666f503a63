import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors.ts';
import { type Acceptance, acceptCluster, requireHub } from '../hub/accept.ts';
import { formatValue, isMachineFormat } from '../output/format.ts';
import { startProgress } from '../output/progress.ts';
import { type Look, waitFor } from '../waiting.ts';

/** The flags of `accept`. */
export interface AcceptOptions {
  readonly clusters?: readonly string[];
  readonly cluster?: readonly string[];
  readonly requesters?: readonly string[];
  readonly skipApproveCheck?: boolean;
  readonly wait?: boolean;
  readonly output: string;
}

type Accepted = Extract<Acceptance, { kind: 'accepted' }>;

/** Lets clusters in, one after the other. */
export async function accept(context: CliContext, options: AcceptOptions & GlobalOptions): Promise<void> {
  const names = [...new Set([...(options.clusters ?? []), ...(options.cluster ?? [])])];
  if (names.length === 0) {
    throw new CliError('usage', 'no cluster is named', `Name them: \`${context.program} accept --clusters cluster1\`.`);
  }
  const { dryRun = false, output } = options;
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  using progress = startProgress(context);
  const filter = { requesters: options.requesters ?? [], anySender: options.skipApproveCheck ?? false };
  const results: { cluster: string; changes: readonly string[]; dryRun: boolean }[] = [];
  for (const name of names) {
    const changes: string[] = [];
    const look = async (): Promise<Look<Accepted>> => {
      const outcome = await acceptCluster({ client: hub.client, clock: context.clock, dryRun }, name, filter);
      const news = 'news' in outcome ? outcome.news : [];
      for (const line of news) progress.done(line);
      changes.push(...news);
      return judge(name, outcome, context.program);
    };
    const goal = `cluster ${name} to ask`;
    const hint = `Is its agent running? On the cluster: \`${context.program} get klusterlet-info\`. On the hub: \`${context.program} get csr\`.`;
    if (options.wait && !dryRun) {
      await waitFor(context, { goal, hint, timeoutMs: options.timeout * 1000, progress }, look);
    } else {
      const seen = await look();
      if ('pending' in seen) {
        throw new CliError('precondition', `cluster ${name}: ${seen.pending}`, `${hint} Or wait for it with --wait.`);
      }
    }
    results.push({ cluster: name, changes, dryRun });
    if (isMachineFormat(output)) continue;
    const note = dryRun ? ' (dry run: nothing was changed)' : '';
    context.out.write(`Your managed cluster ${name} has been accepted${note}.\n`);
  }
  if (isMachineFormat(output)) context.out.write(formatValue(results, output));
}

/** Whether it must be tried again later; throws what only a person can decide. */
function judge(name: string, outcome: Acceptance, program: string): Look<Accepted> {
  switch (outcome.kind) {
    case 'accepted':
      return { found: outcome };
    case 'waiting':
      return { pending: outcome.why };
    case 'unknown':
      return { pending: 'there is no ManagedCluster of this name' };
    case 'ambiguous':
      throw new CliError(
        'precondition',
        `cluster ${name}: ${outcome.requesters.length} agents claim this name: ${outcome.requesters.join(', ')}`,
        `See them with \`${program} get csr\`, and name the right one with --requesters.`,
      );
  }
}
