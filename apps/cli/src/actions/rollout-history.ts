import { Annotation } from '@flotilla/api-types';
import { templateOfRevision } from '@flotilla/work-manager';
import type { CliContext } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { formatValue } from '../output/format.ts';
import { formatResult } from '../output/result.ts';
import { formatTable } from '../output/table.ts';
import { findReplicaSet, findRevisions, nameOf, type RolloutOptions } from '../rollout/replica-set.ts';

/** The flags of `rollout history`. */
export interface RolloutHistoryOptions extends RolloutOptions {
  readonly revision?: number;
  readonly output: string;
}

/** Lists the templates that are kept of a replica set, or prints one. */
export async function rolloutHistory(
  context: CliContext,
  resource: string,
  given: string | undefined,
  options: RolloutHistoryOptions,
): Promise<void> {
  const name = nameOf(resource, given);
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  const revisions = await findRevisions(hub.client, await findReplicaSet(hub.client, name, options));
  if (options.revision !== undefined) {
    const found = revisions.find(({ revision }) => revision === options.revision);
    if (!found) {
      throw new CliError(
        'failed',
        `there is no revision ${options.revision} of mwrs ${name}`,
        `See those that are kept: \`${context.program} rollout history mwrs ${name} -n ${options.namespace}\`.`,
      );
    }
    context.out.write(formatValue(templateOfRevision(found), options.output === 'json' ? 'json' : 'yaml'));
    return;
  }
  const value = revisions.toReversed().map(({ metadata, revision }) => {
    const changeCause = metadata?.annotations?.[Annotation.ChangeCause];
    return { revision, ...(changeCause !== undefined && { changeCause }) };
  });
  const rows = value.map(({ revision, changeCause = '<none>' }) => [`${revision}`, changeCause]);
  context.out.write(formatResult(options.output, { text: formatTable(['REVISION', 'CHANGE-CAUSE'], rows), value }));
}
