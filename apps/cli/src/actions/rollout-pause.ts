import { Annotation, manifestWorkReplicaSets } from '@flotilla/api-types';
import { keyOf } from '@flotilla/kube';
import type { CliContext } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { startChangeReport } from '../output/change-report.ts';
import { withKind } from '../output/kubectl-name.ts';
import { findReplicaSet, findRevisions, nameOf, type RolloutOptions } from '../rollout/replica-set.ts';

/** Holds a rollout, or goes on with it. */
export async function rolloutPause(
  context: CliContext,
  resource: string,
  given: string | undefined,
  isPaused: boolean,
  options: RolloutOptions & { readonly output: string },
): Promise<void> {
  const name = nameOf(resource, given);
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  const replicaSet = await findReplicaSet(hub.client, name, options);
  // The controller of OCM ignores the annotation; revisions show that ours runs.
  if (isPaused) await findRevisions(hub.client, replicaSet);
  const state = isPaused ? 'paused' : 'resumed';
  if ((replicaSet.metadata?.annotations?.[Annotation.RolloutPaused] === 'true') === isPaused) {
    const verb = isPaused ? 'already paused' : 'not paused';
    throw new CliError('failed', `the rollout of ${name} is ${verb}`, 'There is nothing to do.');
  }
  const body = { metadata: { annotations: { [Annotation.RolloutPaused]: isPaused ? 'true' : null } } };
  const changed = await hub.client.resource(manifestWorkReplicaSets).patch(keyOf(replicaSet), { type: 'merge', body });
  const report = startChangeReport(context, options);
  report.add(withKind(manifestWorkReplicaSets, changed), `mwrs/${name} ${state}`);
  report.end();
}
