import type { KubeClient } from '@flotilla/kube';
import { type RolloutProgress, rolloutProgress } from '@flotilla/work-manager';
import { waitFor } from '../cluster/wait.ts';
import type { CliContext, WaitOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { startProgress } from '../output/progress.ts';
import { formatResult } from '../output/result.ts';
import { readRolloutFacts } from '../rollout/read-facts.ts';
import { findReplicaSet, nameOf, type RolloutOptions } from '../rollout/replica-set.ts';

/** The flags of `rollout status`. */
export interface RolloutStatusOptions extends RolloutOptions, WaitOptions {
  readonly watch: boolean;
  readonly output: string;
}

/** So many clusters are named. */
const mostNamed = 10;

async function progressOf(client: KubeClient, name: string, options: RolloutOptions, now: number) {
  return rolloutProgress(await readRolloutFacts(client, await findReplicaSet(client, name, options), now));
}

/** What is still awaited; undefined if all is done. */
function pendingOf(name: string, progress: RolloutProgress): string | undefined {
  const { clusters, updated, succeeded, missing, isPaused } = progress;
  if (missing.length > 0) return `Waiting for placement ${missing.join(', ')}, which does not exist`;
  if (succeeded === clusters) return undefined;
  const held = isPaused ? ' (paused)' : '';
  if (updated < clusters)
    return `Waiting for rollout${held}: ${updated} of ${clusters} clusters have the newest template of ${name}`;
  return `Waiting for rollout${held}: ${succeeded} of ${clusters} clusters with the newest template of ${name} have succeeded`;
}

function stoppedError(name: string, { failed, stopped, clusters }: RolloutProgress, program: string): CliError {
  const named = failed.slice(0, mostNamed).map(({ cluster, why }) => `${cluster}: ${why}`);
  const more = failed.length > mostNamed ? [`and ${failed.length - mostNamed} more`] : [];
  return new CliError(
    'failed',
    `the rollout of ${name} is stopped: ${failed.length} of ${clusters} clusters failed, more than maxFailures of placement ${stopped.join(', ')}\n  ${[...named, ...more].join('\n  ')}`,
    `Correct the template, or go back to the last one: \`${program} rollout undo mwrs ${name}\`.`,
  );
}

/** Shows how far a rollout is, until it is done. */
export async function rolloutStatus(
  context: CliContext,
  resource: string,
  given: string | undefined,
  options: RolloutStatusOptions,
): Promise<void> {
  const name = nameOf(resource, given);
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  const look = async () => {
    const progress = await progressOf(hub.client, name, options, context.clock.now());
    const [invalid] = progress.invalid;
    if (invalid) {
      const hint = `Correct it in spec.placementRefs: \`kubectl edit mwrs ${name} -n ${options.namespace}\`.`;
      throw new CliError(
        'failed',
        `the rollout to placement ${invalid.placement} cannot be planned: ${invalid.why}`,
        hint,
      );
    }
    if (progress.stopped.length > 0) throw stoppedError(name, progress, context.program);
    return { progress, pending: pendingOf(name, progress) };
  };
  const print = (value: RolloutProgress, pending?: string) => {
    const { clusters } = value;
    const done = `mwrs "${name}" successfully rolled out to ${clusters} cluster${clusters === 1 ? '' : 's'}`;
    const isDone = pending === undefined;
    context.out.write(formatResult(options.output, { text: `${pending ?? done}\n`, value: { ...value, isDone } }));
  };
  if (!options.watch) {
    const { progress, pending } = await look();
    return print(progress, pending);
  }
  using progress = startProgress(context);
  const goal = `the rollout of ${name}`;
  const hint = `See which clusters are not done: \`${context.program} explain mwrs ${name} -n ${options.namespace}\`.`;
  const timeoutMs = options.timeout * 1000;
  print(
    await waitFor<RolloutProgress>(context, { goal, hint, timeoutMs, progress }, async () => {
      const { progress: found, pending } = await look();
      return pending === undefined ? { found } : { pending };
    }),
  );
}
