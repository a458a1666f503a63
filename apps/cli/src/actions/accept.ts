import { managedClusters } from '@flotilla/api-types';
import type { Observation } from '@flotilla/install';
import { isReservedClusterName, reservedNameError, reservedNameHint } from '@flotilla/registration-core/contract';
import { waitFor } from '../cluster/wait.ts';
import type { ChangeOptions, CliContext, GlobalOptions, WaitOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import type { AcceptFilter } from '../hub/accept.policy.ts';
import { type Acceptance, acceptCluster, requireHub } from '../hub/accept.ts';
import { whyNoLeader } from '../hub/leader.ts';
import { candidateTable } from '../hub/request-rows.ts';
import { startProgress } from '../output/progress.ts';
import { formatResult, nameOfKind } from '../output/result.ts';

/** The flags of `accept`. */
export interface AcceptOptions extends ChangeOptions, WaitOptions {
  readonly clusters?: readonly string[];
  readonly cluster?: readonly string[];
  readonly requesters?: readonly string[];
  readonly csr?: string;
  readonly fingerprint?: string;
  readonly skipApproveCheck?: boolean;
  readonly wait?: boolean;
  readonly output: string;
}

type Accepted = Extract<Acceptance, { kind: 'accepted' }>;

/** Accepts clusters, one after the other. */
export async function accept(context: CliContext, options: AcceptOptions & GlobalOptions): Promise<void> {
  const names = [...new Set([...(options.clusters ?? []), ...(options.cluster ?? [])])];
  if (names.length === 0) {
    throw new CliError('usage', 'no cluster is named', `Name them: \`${context.program} accept --clusters cluster1\`.`);
  }
  const reserved = names.find(isReservedClusterName);
  if (reserved !== undefined) throw new CliError('usage', reservedNameError(reserved), reservedNameHint);
  const filter = filterOf(names, options);
  const { dryRun = false, output } = options;
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  using progress = startProgress(context);
  const results: { cluster: string; changes: readonly string[]; dryRun: boolean }[] = [];
  for (const name of names) {
    const changes: string[] = [];
    const observe = async (): Promise<Observation<Accepted>> => {
      const outcome = await acceptCluster({ client: hub.client, clock: context.clock, dryRun }, name, filter);
      const news = 'news' in outcome ? outcome.news : [];
      for (const line of news) progress.done(dryRun ? `Dry run: ${line}` : line);
      changes.push(...news);
      if (outcome.kind === 'accepted')
        for (const request of outcome.held) progress.done(heldNote(name, request, context));
      return decide(name, outcome, context);
    };
    const goal = `cluster ${name} to request to join`;
    const hint = `Is its agent running? On the cluster: \`${context.program} get klusterlet-info\`. On the hub: \`${context.program} get csr --clusters ${name}\`; a request that no bootstrap identity sent needs --skip-approve-check.`;
    if (options.wait && !dryRun) {
      await waitFor(context, { goal, hint, timeoutMs: options.timeout * 1000, progress }, observe);
    } else {
      const seen = await observe();
      if ('pending' in seen) {
        throw new CliError('precondition', `cluster ${name}: ${seen.pending}`, `${hint} Or wait for it with --wait.`);
      }
    }
    results.push({ cluster: name, changes, dryRun });
    if (output !== 'text') continue;
    context.out.write(
      dryRun
        ? `Would accept managed cluster ${name}. Nothing was changed.\n`
        : `Your managed cluster ${name} has been accepted.\n`,
    );
  }
  const noLeader = dryRun ? undefined : await whyNoLeader(hub.client, context.clock);
  if (noLeader !== undefined) progress.done(`Clusters join when the hub runs: ${noLeader}.`);
  const accepted = results.map(({ cluster }) => nameOfKind(managedClusters, cluster));
  context.out.write(formatResult(output, { text: '', value: results, names: accepted }));
}

const fingerprintSyntax = /^sha256:[0-9a-f]{64}$/;

/** Which requests the flags name. One request belongs to one cluster. */
function filterOf(names: readonly string[], options: AcceptOptions): AcceptFilter {
  const { csr, fingerprint, requesters = [], skipApproveCheck = false } = options;
  if ((csr !== undefined || fingerprint !== undefined) && names.length > 1) {
    const hint = `Name one cluster with --csr or --fingerprint, and run the command once for each.`;
    throw new CliError('usage', `one request is named for ${names.length} clusters: ${names.join(', ')}`, hint);
  }
  if (fingerprint !== undefined && !fingerprintSyntax.test(fingerprint)) {
    const hint = 'It is sha256: and 64 hexadecimal digits, as the agent logs it and `flotilla get csr` prints it.';
    throw new CliError('usage', `--fingerprint ${fingerprint} is not a fingerprint of a key`, hint);
  }
  return {
    requesters,
    anySender: skipApproveCheck,
    ...(csr !== undefined && { request: csr }),
    ...(fingerprint !== undefined && { fingerprint }),
  };
}

const heldNote = (name: string, request: string, { program }: CliContext): string =>
  `CSR ${request} was not approved: cluster ${name} has joined and reports, so this may be another cluster. If its agent lost its credentials or registers by another driver now: ${program} accept --clusters ${name} --csr ${request}`;

/** Whether it must be tried again later; throws what only an administrator can decide. */
function decide(name: string, outcome: Acceptance, { program, clock }: CliContext): Observation<Accepted> {
  switch (outcome.kind) {
    case 'accepted':
      return { found: outcome };
    case 'waiting':
      return { pending: outcome.why };
    case 'unknown':
      return { pending: 'there is no ManagedCluster of this name' };
    case 'no-such-request':
      return { pending: 'no request of an agent of this cluster is the one that was named' };
    case 'ambiguous':
      throw new CliError(
        'precondition',
        `cluster ${name}: ${outcome.candidates.length} requests for different keys claim this name, and only one can be right:\n${candidateTable(outcome.candidates, clock.now())}`,
        `Approve the one whose fingerprint the agent of ${name} logs: \`${program} accept --clusters ${name} --csr NAME\` or \`--fingerprint sha256:...\`.`,
      );
  }
}
