import { Annotation, manifestWorkReplicaSets } from '@flotilla/api-types';
import { keyOf } from '@flotilla/kube';
import { specHash, templateOfRevision } from '@flotilla/work-manager';
import type { ChangeOptions, CliContext } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { startChangeReport } from '../output/change-report.ts';
import { withKind } from '../output/kubectl-name.ts';
import { findReplicaSet, findRevisions, nameOf, type RolloutOptions } from '../rollout/replica-set.ts';

/** The flags of `rollout undo`. */
export interface RolloutUndoOptions extends RolloutOptions, ChangeOptions {
  readonly toRevision: number;
  readonly output: string;
}

/** Goes back to an earlier template of a replica set. */
export async function rolloutUndo(
  context: CliContext,
  resource: string,
  given: string | undefined,
  options: RolloutUndoOptions,
): Promise<void> {
  const name = nameOf(resource, given);
  const { toRevision, dryRun = false } = options;
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  const replicaSet = await findReplicaSet(hub.client, name, options);
  if (replicaSet.metadata?.annotations?.[Annotation.RolloutPaused] === 'true') {
    throw new CliError(
      'precondition',
      `the rollout of ${name} is paused`,
      `Resume it first: \`${context.program} rollout resume mwrs ${name} -n ${options.namespace}\`.`,
    );
  }
  const current = specHash(replicaSet.spec?.manifestWorkTemplate);
  const revisions = await findRevisions(hub.client, replicaSet);
  const wanted =
    toRevision === 0
      ? revisions.find((revision) => specHash(templateOfRevision(revision)) !== current)
      : revisions.find(({ revision }) => revision === toRevision);
  const template = wanted && templateOfRevision(wanted);
  if (!wanted || !template) {
    throw new CliError(
      'failed',
      toRevision === 0
        ? `no earlier template of ${name} is kept`
        : `there is no revision ${toRevision} of mwrs ${name}`,
      `See those that are kept: \`${context.program} rollout history mwrs ${name} -n ${options.namespace}\`.`,
    );
  }
  if (specHash(template) === current) {
    const report = startChangeReport(context, { output: options.output });
    report.add(
      withKind(manifestWorkReplicaSets, replicaSet),
      `mwrs/${name} skipped rollback (current template already matches revision ${wanted.revision})`,
    );
    return report.end();
  }
  const { resourceVersion } = replicaSet.metadata ?? {};
  const changed = await hub.client.resource(manifestWorkReplicaSets).patch(
    keyOf(replicaSet),
    {
      type: 'json',
      // The whole template: what the newer one added must go.
      body: [
        { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
        { op: 'add', path: '/spec/manifestWorkTemplate', value: template },
      ],
    },
    { dryRun },
  );
  const report = startChangeReport(context, options);
  report.add(withKind(manifestWorkReplicaSets, changed), `mwrs/${name} rolled back to revision ${wanted.revision}`);
  report.end();
}
